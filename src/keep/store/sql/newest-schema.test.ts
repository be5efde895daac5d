import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../compose/store/check-store.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { migrations } from '../migrations/index.ts';
import { openSqlStore, openStore } from '../open-store.ts';
import { migrate } from './sql-engine.ts';
import { connectSqlite, sqliteWords } from './sqlite.ts';
import { findingsLine, rowValues, trialColumns } from './trial-row.ts';

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

/** Statements that make the same database. */
function dumpOf(path: string): string {
  const database = new DatabaseSync(path);
  const created = schemaOf(database).map((row) => row.sql);
  const inserted = contentsOf(database).flatMap(([table, rows]) => {
    const columns = Object.keys((rows[0] as object | undefined) ?? {}).map((column) => `"${column}"`);
    if (columns.length === 0) return [];
    const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
    const found = database.prepare(`select ${values} as texts from "${table}" order by rowid`).all();
    return (found as { texts: string }[]).map(({ texts }) => `insert into "${table}" (${columns}) values (${texts})`);
  });
  database.close();
  const isTrigger = (text: string): boolean => /^create trigger/i.test(text);
  const [triggers, others] = [created.filter(isTrigger), created.filter((text) => !isTrigger(text))];
  return [...others, ...inserted, ...triggers].map((statement) => `${statement};\n`).join('');
}

const storeOfSchema = (version: number): string =>
  fileURLToPath(new URL(`../../../../test/fixtures/stores/schema-${version}.sql`, import.meta.url));

/** A store as the program of an earlier schema version wrote it, with a run of one trial. */
function earlierStore(path: string, version: number): Promise<void> {
  return withMigrations(path, version, (database) => {
    database.exec(`insert into runs (run_id, started_at, finished_at, status, planned, assay_version, request, scenarios)
      values ('r-1', 5, 9, 'finished', 1, '0.1.0', '${JSON.stringify(runHeader('r-1').request)}', '[]')`);
    const { record, trace } = finishedTrial('r-1', 0);
    const values = rowValues(record, { findingsPack: 1, tracePack: 2, slot: 0 });
    for (const text of [findingsLine(record), JSON.stringify(trace)]) {
      // Compression differs between versions of Node.
      const body = deflateRawSync(text, { level: 0 });
      database.prepare('insert into packs (run_id, body, checksum) values (?, ?, ?)').run('r-1', body, crc32(body));
    }
    const columns = Object.keys(trialColumns);
    const row = database.prepare(`insert into trials (${columns}) values (${columns.map(() => '?')})`);
    row.run(...(values as Parameters<typeof row.run>));
    if (version > 1)
      database.exec(`insert into trial_counts (run_id, shard, file, scenario, variant, outcome, fault_code, trials,
          first_ordinal, last_ordinal, duration_ns, cost_pico_usd, input_tokens, output_tokens)
        select run_id, 0, file, scenario, variant, outcome, coalesce(fault_code, ''), 1, 0, 0, round(duration_ms * 1e6),
          round(cost_usd * 1e12), input_tokens, output_tokens from trials`);
  });
}

async function withMigrations(path: string, version: number, fill: (database: DatabaseSyncInstance) => void) {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: connectSqlite(path) }) });
  await sql`create table assay_schema (version integer primary key, name text not null)`.execute(db);
  for (const { id, name, up } of migrations.filter((step) => step.id <= version)) {
    await up(db, sqliteWords);
    await sql`insert into assay_schema (version, name) values (${id}, ${name})`.execute(db);
  }
  await db.destroy();
  const database = new DatabaseSync(path);
  fill(database);
  database.close();
}

describe('a store of an earlier version', () => {
  it.each(migrations.slice(0, -1).map(({ id }) => id))('opens with all that is in it: schema %i', async (version) => {
    const folder = await temporaryFolder();
    const fixture = storeOfSchema(version);
    if (!existsSync(fixture)) {
      await earlierStore(`${folder}/written.db`, version);
      await expect(dumpOf(`${folder}/written.db`)).toMatchFileSnapshot(fixture);
    }
    // Written once and never again: later programs make other records.
    const old = new DatabaseSync(`${folder}/old.db`);
    old.exec(readFileSync(fixture, 'utf8'));
    old.close();
    const database = await openSqlStore('sqlite:old.db', folder);
    await using store = database.store;
    const { trialId } = finishedTrial('r-1', 0).record;
    expect(await store.findRun('r-1')).toMatchObject({ startedAt: 5, finishedAt: 9, planned: 1 });
    const found = { outcome: 'pass', reason: 'because', caseId: 'case-0', usage: { inputTokens: 10, outputTokens: 5 } };
    expect(await store.findTrial(trialId)).toMatchObject({ ...found, metrics: { duration: 1.25 } });
    expect(await store.readTrace(trialId)).toMatchObject([{ type: 'tool-call' }, { text: 'line\n“quoted”' }, {}]);
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 1, fail: 0 });
    expect(await checkStore(database, () => undefined)).toEqual({ runs: 1, trials: 1, problems: [] });
  });
});

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
