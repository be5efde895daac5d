import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../src/compose/store/check-store.ts';
import { copyStore } from '../../src/compose/store/copy-store.ts';
import { StoredFiles } from '../../src/keep/bundles/stored-files.ts';
import { openSqlStore, openStore } from '../../src/keep/store/open-store.ts';
import { eachTrial, type Store } from '../../src/keep/store/store.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { storeContents } from '../../src/testing/support/stored-contents.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = `name: Add
call: { module: ./tool.mjs, export: add }
cases:
  - { input: { a: 1, b: 2 } }
  - { input: { a: 5, b: 5 } }
passCriteria: [result.sum < 5]
`;
const tool = 'export const add = ({ a, b }) => ({ sum: a + b });\n';

describe.skipIf(!hasPostgres)('assay store copy', () => {
  const postgres = usePostgres();

  it('takes a history to Postgres and back, and reports stay the same', async () => {
    const cwd = await temporaryFolder({ 'add.yaml': scenario, 'tool.mjs': tool });
    const url = await postgres.newDatabase();
    for (let run = 0; run < 2; run++) expect((await assay(['run', 'add.yaml'], { cwd })).exitCode).toBe(1);
    const there = await assay(['store', 'copy', 'sqlite:.assay/assay.db', url], { cwd });
    expect(there).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Copied 2 runs and 4 trials') });
    const back = await assay(['store', 'copy', url, 'sqlite:back.db', '--json'], { cwd });
    expect(JSON.parse(back.stdout)).toMatchObject({ runs: 2, newTrials: 4, problems: [] });
    const reports = await Promise.all(
      ['sqlite:.assay/assay.db', url, 'sqlite:back.db'].map(async (store, index) => {
        const folder = `report-${index}`;
        const args = ['report', 'latest', '--format', 'json,csv,junit', '-o', folder, '--store', store];
        expect(await assay(args, { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
        const shown = await assay(['show', 'latest', '--json', '--store', store], { cwd });
        return shown.stdout;
      }),
    );
    expect(reports[0]).toContain('"Add"');
    expect(new Set(reports).size).toBe(1);
    const checked = await assay(['store', 'check'], { cwd, env: { ASSAY_STORE: url } });
    expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No corruption found.') });
    expect(checked.stdout).not.toContain('not-a-secret');
  });

  it('goes on where it was interrupted, and leaves alone what is there', async () => {
    const [from, to] = await Promise.all([
      openSqlStore('sqlite::memory:', '/'),
      openSqlStore(await postgres.newDatabase(), '/'),
    ]);
    await using _from = from.store;
    await using _to = to.store;
    await fill(from.store, 450);
    await from.store.setRunStatus('r-1', 'finished', 99);
    const met = { server: 's', pins: { add: 'one' }, isAnnounced: false };
    await from.store.pinTools('r-1', met);
    // As a copy that was killed leaves it.
    await to.store.createRun(runHeader('r-1', { planned: 450 }));
    await to.store.saveTrials(Array.from({ length: 123 }, (_, index) => finishedTrial('r-1', index * 2)));
    const steps: string[] = [];
    const report = await copyStore(from, to, (doing, run) => steps.push(`${doing} ${run.runId}`));
    expect(report).toEqual({ runs: 1, newRuns: 0, trials: 450, newTrials: 327, newFilePieces: 0, problems: [] });
    expect(steps).toEqual(['copying r-1', 'comparing r-1']);
    expect(await to.store.findRun('r-1')).toEqual(await from.store.findRun('r-1'));
    expect(await recordsOf(to.store)).toEqual(await recordsOf(from.store));
    expect(await to.store.pinTools('r-1', { ...met, pins: { add: 'two' } })).toEqual([{ add: 'one' }]);
    expect(await copyStore(from, to, () => undefined)).toMatchObject({ newTrials: 0, problems: [] });
  });

  it('takes the files of runs along', async () => {
    const [from, to] = await Promise.all([
      openSqlStore('sqlite::memory:', '/'),
      openSqlStore(await postgres.newDatabase(), '/'),
    ]);
    await using _from = from.store;
    await using _to = to.store;
    await fill(from.store, 1);
    const contents = [Buffer.alloc(600_000, 'a'), Buffer.from('small')];
    const setId = await storeContents(new StoredFiles(from.db), 'r-1', contents);
    const report = await copyStore(from, to, () => undefined);
    expect(report).toMatchObject({ newFilePieces: 3, problems: [] });
    expect(await new StoredFiles(to.db).setOfRun('r-1')).toBe(setId);
    expect((await copyStore(to, from, () => undefined)).newFilePieces).toBe(0);
    await to.db.deleteFrom('chunks').execute();
    expect((await checkStore(to, () => undefined)).problems).toEqual([
      expect.stringMatching(/^Files of run r-1: .* missing/),
    ]);
  });

  it('tells of runs that are others there, and of trials that are', async () => {
    const [from, to] = await Promise.all([
      openSqlStore('sqlite::memory:', '/'),
      openSqlStore(await postgres.newDatabase(), '/'),
    ]);
    await using _from = from.store;
    await using _to = to.store;
    await fill(from.store, 3);
    await from.store.createRun(runHeader('r-2'));
    await to.store.createRun(runHeader('r-2', { assayVersion: '9.9.9' }));
    await to.store.saveTrials([finishedTrial('r-1', 1, { outcome: 'fail' })]);
    const { problems } = await copyStore(from, to, () => undefined);
    expect(problems).toEqual([
      'Run r-2 was not copied: the other store has a different run with this id.',
      expect.stringMatching(/^Trial t-.*-1-1 of run r-1 differs in the copy\.$/),
    ]);
    expect(await to.store.countTrials('r-1')).toMatchObject({ pass: 2, fail: 1 });
  });
});

describe('assay store check', () => {
  it('names what is damaged, and a copy takes all but that', async () => {
    const folder = await temporaryFolder();
    {
      await using store = await openStore('sqlite:.assay/assay.db', folder);
      await fill(store, 5);
    }
    const database = new DatabaseSync(join(folder, '.assay', 'assay.db'));
    database.exec("update trials set reason = 'another' where ordinal = 3");
    database.close();
    const checked = await assay(['store', 'check'], { cwd: folder });
    expect(checked.exitCode).toBe(1);
    expect(checked.stdout).toMatch(/1 run, 5 trials\.\n! Run r-1: trial t-\w+-3-1 could not be read/);
    const copied = await assay(['store', 'copy', 'sqlite:.assay/assay.db', 'sqlite:copy.db', '--json'], {
      cwd: folder,
    });
    expect(copied.exitCode).toBe(1);
    expect(JSON.parse(copied.stdout)).toMatchObject({
      newTrials: 4,
      problems: [expect.stringContaining('Not copied')],
    });
  });

  it('tells of counts that are wrong', async () => {
    const database = await openSqlStore('sqlite::memory:', '/');
    await using store = database.store;
    await fill(store, 5);
    expect(await checkStore(database, () => undefined)).toEqual({ runs: 1, trials: 5, problems: [] });
    await database.db.updateTable('trial_counts').set({ trials: 7 }).execute();
    const { problems } = await checkStore(database, () => undefined);
    expect(problems).toEqual([
      expect.stringMatching(/^Run r-1: 5 trials of ".*" ended with "pass", but 7 are counted\.$/),
    ]);
  });

  it('knows a run again that was renamed after it was copied', async () => {
    const [from, to] = await Promise.all(['a', 'b'].map(() => openSqlStore('sqlite::memory:', '/')));
    if (!from || !to) throw new Error('no stores');
    await using store = from.store;
    await using _copy = to.store;
    await store.createRun(runHeader('r-1'));
    await copyStore(from, to, () => undefined);
    await store.labelRun('r-1', { name: 'renamed' });
    await store.saveTrials([finishedTrial('r-1', 0)]);
    expect(await copyStore(from, to, () => undefined)).toMatchObject({ newTrials: 1, problems: [] });
  });

  it('reads earlier attempts, which a copy takes along', async () => {
    const [from, to] = await Promise.all(['a', 'b'].map(() => openSqlStore('sqlite::memory:', '/')));
    if (!from || !to) throw new Error('no stores');
    await using store = from.store;
    await using copy = to.store;
    await store.createRun(runHeader('r-1'));
    const broken = finishedTrial('r-1', 0, { outcome: 'error' });
    await store.saveTrials([broken]);
    await store.setAsideErrors('r-1');
    await store.saveTrials([finishedTrial('r-1', 0)]);
    for (let time = 0; time < 2; time++)
      expect(await copyStore(from, to, () => undefined)).toMatchObject({ problems: [] });
    expect(await copy.readAttempts(broken.record.trialId)).toEqual([broken.record]);
    expect(await copy.countTrials('r-1')).toEqual(await store.countTrials('r-1'));
    for (const database of [from, to]) expect((await checkStore(database, () => undefined)).problems).toEqual([]);
    await to.db.updateTable('trial_attempts').set({ reason: 'another' }).execute();
    expect((await checkStore(to, () => undefined)).problems).toHaveLength(1);
  });

  it('makes no store where there is none, and wants two stores to copy', async () => {
    const cwd = await temporaryFolder();
    expect(await assay(['store', 'check', 'sqlite:none.db'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(await assay(['store', 'copy', 'sqlite:none.db', 'sqlite:other.db'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(await assay(['store', 'copy', 'sqlite:a.db'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(await assay(['store', 'move'], { cwd })).toMatchObject({ exitCode: 2 });
  });
});

async function fill(store: Store, count: number): Promise<void> {
  await store.createRun(runHeader('r-1', { planned: count }));
  await store.saveTrials(Array.from({ length: count }, (_, index) => finishedTrial('r-1', index)));
}

async function recordsOf(store: Store): Promise<unknown[]> {
  const records = [];
  for await (const record of eachTrial(store, 'r-1')) records.push(record);
  return records;
}
