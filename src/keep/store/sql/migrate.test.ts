import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, it } from 'vitest';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
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

/** A step that rewrites what is there. */
const rewritten: Migration = {
  id: added.id + 1,
  name: 'rewritten',
  statements: () => [
    'create table verdicts (trial_id text primary key, outcome text not null)',
    'insert into verdicts select trial_id, outcome from trials',
    "update trials set reason = 'moved'",
    'drop index trials_by_outcome',
    "create index trials_by_outcome on trials (run_id, outcome, ordinal) where outcome <> 'pass'",
  ],
};

describe('an upgrade that is killed', () => {
  it('leaves the store whole as it was, or whole as it will be', async () => {
    const folder = await temporaryFolder();
    const store = await openStore('sqlite:store.db', folder);
    await store.createRun(runHeader('r-1'));
    await store.saveTrials(Array.from({ length: 50 }, (_, ordinal) => finishedTrial('r-1', ordinal)));
    await store[Symbol.asyncDispose]();
    const steps = [...migrations, added, rewritten];
    const before = everythingIn(`${folder}/store.db`);
    const { killed, upgraded } = await upgradeWithKills(`${folder}/store.db`, steps);
    const after = everythingIn(upgraded);
    expect(after).not.toEqual(before);
    expect(killed.length).toBeGreaterThan(20);
    const stateOf = (path: string): string => {
      const contents = everythingIn(path);
      if (isDeepStrictEqual(contents, before)) return 'before';
      return isDeepStrictEqual(contents, after) ? 'after' : 'half';
    };
    expect(new Set(killed.map(stateOf))).toEqual(new Set(['before', 'after']));
    for (const path of killed) {
      await migrateFile(path, steps);
      expect(everythingIn(path)).toEqual(after);
    }
    await expect(openStore('sqlite:upgraded.db', folder)).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: `The store has schema version ${rewritten.id}; this Assay knows versions up to ${firstVersion}.`,
    });
  });
});

/** The schema of a store, and every row of its trials. */
function everythingIn(path: string): unknown[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('select * from trials order by ordinal').all();
  database.close();
  return [...contentsOf(path), ...rows];
}

/**
 * Upgrades a store, and keeps its files as a kill would leave them: before each statement, and with every part of what
 * the commit writes.
 */
async function upgradeWithKills(path: string, steps: readonly Migration[]) {
  const killed: string[] = [];
  const kill = (copy = `${path}-${killed.length}.db`): string => {
    for (const ending of ['', '-wal'])
      if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${copy}${ending}`);
    killed.push(copy);
    return copy;
  };
  const connection = connectSqlite(path);
  const prepare: typeof connection.prepare = (text) => {
    const statement = connection.prepare(text);
    const killing = <Given, Result>(use: (given: Given) => Result) => {
      return (given: Given): Result => {
        kill();
        return use(given);
      };
    };
    return { ...statement, all: killing(statement.all), run: killing(statement.run) };
  };
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: { ...connection, prepare } }) });
  await migrate(db, sqliteWords, steps);
  const written = statSync(`${path}-wal`).size;
  for (let part = 0; part <= commitParts; part++)
    truncateSync(`${kill()}-wal`, Math.floor((written * part) / commitParts));
  await db.destroy();
  const upgraded = join(dirname(path), 'upgraded.db');
  copyFileSync(path, upgraded);
  return { killed, upgraded };
}

const commitParts = 16;

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
