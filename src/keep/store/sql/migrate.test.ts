import { DatabaseSync } from '@photostructure/sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { firstVersion, type Migration, migrations } from '../migrations/index.ts';
import { openStore } from '../open-store.ts';
import { migrate } from './sql-engine.ts';
import { connectSqlite, sqliteWords } from './sqlite.ts';

function contentsOf(path: string): unknown[] {
  const database = new DatabaseSync(path);
  const schema = database.prepare(
    "select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'",
  );
  const steps = database.prepare('select * from assay_schema');
  const contents = [...schema.all(), ...steps.all()];
  database.close();
  return contents;
}

async function migrateFile(path: string, steps: readonly Migration[]): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: connectSqlite(path) }) });
  await migrate(db, sqliteWords, steps).finally(() => db.destroy());
}

const added: Migration = {
  id: firstVersion + migrations.length + 1,
  name: 'a-column',
  statements: () => ["alter table runs add column mood text default 'calm'"],
};
const broken: Migration = {
  id: added.id + 1,
  name: 'broken',
  statements: () => ['create table half (a text)', 'no SQL'],
};

describe('a store of an earlier version', () => {
  it('gets the steps that it lacks, once', async () => {
    const path = `${await temporaryFolder()}/store.db`;
    await migrateFile(path, migrations);
    const before = contentsOf(path);
    for (const _time of [1, 2]) await migrateFile(path, [...migrations, added]);
    expect(contentsOf(path)).toHaveLength(before.length + 1);
    expect(contentsOf(path).at(-1)).toEqual({ version: added.id, name: 'a-column' });
  });

  it('stays as it was where a step fails', async () => {
    const path = `${await temporaryFolder()}/store.db`;
    await migrateFile(path, migrations);
    const before = contentsOf(path);
    await expect(migrateFile(path, [...migrations, added, broken])).rejects.toThrow('syntax error');
    expect(contentsOf(path)).toEqual(before);
  });
});

describe('a new SQLite store', () => {
  it('has the schema that the migrations lead to', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:new.db', folder))[Symbol.asyncDispose]();
    await migrateFile(`${folder}/migrated.db`, migrations);
    expect(new Set(contentsOf(`${folder}/new.db`))).toEqual(new Set(contentsOf(`${folder}/migrated.db`)));
  });

  it('is filled once by processes that open it at the same time', async () => {
    const folder = await temporaryFolder();
    const [first, second] = [connectSqlite(`${folder}/new.db`), connectSqlite(`${folder}/new.db`)];
    first.fillWhenEmpty();
    second.fillWhenEmpty();
    first.close();
    second.close();
    await (await openStore('sqlite:new.db', folder))[Symbol.asyncDispose]();
    expect(contentsOf(`${folder}/new.db`).at(-1)).toEqual({ version: firstVersion, name: 'initial' });
  });
});
