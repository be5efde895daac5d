import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { openStore } from '../open-store.ts';
import { migrate } from './sql-engine.ts';
import { connectSqlite, sqliteWords } from './sqlite.ts';

interface SchemaRow {
  readonly name: string;
  readonly sql: string;
}

function schemaOf(database: DatabaseSyncInstance): SchemaRow[] {
  const ours = "sql is not null and name not like 'sqlite_%'";
  return database.prepare(`select name, sql from sqlite_master where ${ours} order by rowid`).all() as SchemaRow[];
}

/** Names of the tables with their rows. */
function contentsOf(database: DatabaseSyncInstance): [string, unknown[]][] {
  const tables = schemaOf(database).filter(({ sql }) => /^create table/i.test(sql));
  return tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]);
}

async function migratedFile(): Promise<string> {
  const path = `${await temporaryFolder()}/migrated.db`;
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: connectSqlite(path) }) });
  await migrate(db, sqliteWords);
  await db.destroy();
  return path;
}

/** The module that makes the same of an empty database. */
function moduleOf(database: DatabaseSyncInstance): string {
  const versions = database.prepare('select version, name from assay_schema order by version').all() as {
    readonly version: number;
    readonly name: string;
  }[];
  const steps = versions.map(({ version, name }) => `(${version}, '${name}')`).join(', ');
  const statements = [
    ...schemaOf(database).map(({ sql }) => sql),
    `insert into assay_schema (version, name) values ${steps}`,
  ];
  return `/**
 * Schema of a new SQLite database, the result of all migrations. Written by its test:
 * \`npx vitest run src/keep/store/sql/newest-schema.test.ts -u\`
 */
export const newestSchema = \`
${statements.join(';\n')};
\`;
`;
}

describe('a new SQLite store', () => {
  it('has the schema that the migrations lead to', async () => {
    const migrated = new DatabaseSync(await migratedFile());
    await expect(moduleOf(migrated)).toMatchFileSnapshot('./newest-schema.ts');
    migrated.close();
  });

  it('holds nothing else than a store that was migrated', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:new.db', folder))[Symbol.asyncDispose]();
    const [fresh, migrated] = [new DatabaseSync(`${folder}/new.db`), new DatabaseSync(await migratedFile())];
    expect(schemaOf(fresh)).toEqual(schemaOf(migrated));
    expect(contentsOf(fresh)).toEqual(contentsOf(migrated));
    expect(contentsOf(fresh).flatMap(([, rows]) => rows).length).toBeGreaterThan(0);
    fresh.close();
    migrated.close();
  });

  it('is filled once by processes that open it at the same time', async () => {
    const folder = await temporaryFolder();
    const [first, second] = [connectSqlite(`${folder}/new.db`), connectSqlite(`${folder}/new.db`)];
    first.fillWhenEmpty();
    second.fillWhenEmpty();
    first.close();
    second.close();
    await (await openStore('sqlite:new.db', folder))[Symbol.asyncDispose]();
    const database = new DatabaseSync(`${folder}/new.db`);
    expect(new Map(contentsOf(database)).get('assay_schema')?.length).toBeGreaterThan(8);
    database.close();
  });
});
