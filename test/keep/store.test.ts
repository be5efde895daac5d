import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openSqlStore, openStore } from '../../src/keep/store/open-store.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { describeStoreContract } from '../../src/testing/store-contract/store-contract.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { readWithFlippedBytes } from '../../src/testing/support/flipped-bytes.ts';
import { assayWithFault, canInjectFaults } from '../../src/testing/support/injected-faults.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { complaintsOfWriters } from '../../src/testing/support/store-writers.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describeStoreContract('sqlite file', async () => openStore('sqlite:assay.db', await temporaryFolder()));
describeStoreContract('sqlite in memory', async () => openStore('sqlite::memory:', '.'));

/** A store in a project with a run of one trial; `change` changes it from outside. */
async function storedRun() {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:.assay/assay.db', folder);
  await store.createRun(runHeader('r-1', { status: 'interrupted' }));
  await store.saveTrials([finishedTrial('r-1', 0)]);
  const change = (statements: string): void => {
    const database = new DatabaseSync(join(folder, '.assay', 'assay.db'));
    database.exec(statements);
    database.close();
  };
  return { folder, store, change };
}

const canMountReadOnly =
  spawnSync('unshare', ['--mount', 'true']).status === 0 && process.platform === 'linux' && process.getuid?.() === 0;

describe('a sqlite store', () => {
  it('takes writes of four processes at once, losing none and showing no lock error', {
    timeout: 180_000,
  }, async () => {
    const folder = await temporaryFolder();
    const own = repetitions({ usual: 600, inFull: 5_000 });
    const shared = repetitions({ usual: 100, inFull: 400 });
    expect(await complaintsOfWriters(`sqlite:${folder}/assay.db`, own, shared)).toEqual(['', '', '', '']);
    await using store = await openStore('sqlite:assay.db', folder);
    for (const runId of ['r-0', 'r-1', 'r-2', 'r-3']) expect((await store.countTrials(runId)).pass, runId).toBe(own);
    expect((await store.countTrials('r-shared')).pass).toBe(shared);
  });

  it('reports flipped bytes instead of giving wrong data', async () => {
    const { detected, unchanged, wrong } = await readWithFlippedBytes(499);
    expect(wrong).toEqual([]);
    expect(detected).toBeGreaterThan(0);
    expect(unchanged).toBeGreaterThan(0);
  });

  it('refuses a run that is not as it was written, and a check names it', async () => {
    const { store, folder, change } = await storedRun();
    await using _closed = store;
    for (const [column, value] of [
      ['planned', '43'],
      ['started_at', '1'],
      ['assay_version', "'9.9.9'"],
      ['status', "'finished'"],
    ]) {
      change(`update runs set ${column} = ${value}`);
      await expect(store.findRun('r-1'), column).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      await expect(store.listRuns(1), column).rejects.toThrow('run r-1');
    }
    const { exitCode, stdout } = await assay(['store', 'check'], { cwd: folder });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringContaining('bytes of run r-1 are damaged'),
    });
  });

  it('refuses a trial that is not as it was written, in lists too', async () => {
    const { store, change } = await storedRun();
    await using _closed = store;
    const { trialId } = finishedTrial('r-1', 0).record;
    change("update trials set reason = 'another'");
    const refused = { code: 'STORE_CORRUPT', message: expect.stringContaining(`trial ${trialId}`) };
    await expect(store.findTrial(trialId)).rejects.toMatchObject(refused);
    await expect(store.readTrials('r-1', { limit: 5 })).rejects.toMatchObject(refused);
    await expect(store.readTrialRows('r-1', { limit: 5 })).rejects.toMatchObject(refused);
  });

  it('refuses counts that are not those of its trials', async () => {
    const { store, change } = await storedRun();
    await using _closed = store;
    change('update trial_counts set trials = 43');
    await expect(store.countTrials('r-1')).rejects.toThrow('counts of run r-1 are damaged');
    await expect(store.readRunRows({ limit: 5 })).rejects.toThrow('counts of run r-1 are damaged');
  });

  it('refuses definitions of tools that are not those that were written, and a check names them', async () => {
    const { store, folder, change } = await storedRun();
    await using _closed = store;
    const met = { server: 's', pins: { add: 'one' }, isAnnounced: false };
    await store.pinTools('r-1', met);
    change(`update run_pins set pins = '{"add":"two"}'`);
    await expect(store.pinTools('r-1', met)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    const { exitCode, stdout } = await assay(['store', 'check'], { cwd: folder });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringContaining('its tool definitions') });
  });

  it('refuses documents that are not those that were written', async () => {
    const { store, change } = await storedRun();
    await using _closed = store;
    const other = deflateRawSync(JSON.stringify([{ type: 'output', text: 'another' }])).toString('hex');
    change(`update packs set body = x'${other}'`);
    const { trialId } = finishedTrial('r-1', 0).record;
    await expect(store.readTrace(trialId)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('refuses a store that a newer version has written', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:assay.db', folder))[Symbol.asyncDispose]();
    const database = new DatabaseSync(join(folder, 'assay.db'));
    database.exec("insert into assay_schema (version, name) values (999, 'from the future')");
    database.close();
    await expect(openStore('sqlite:assay.db', folder)).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });

  it('names the file when it cannot be opened', async () => {
    const folder = await temporaryFolder({ 'assay.db': 'this is not a database, however long it may be '.repeat(100) });
    await expect(openStore('sqlite:assay.db', folder)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('assay.db'),
    });
  });

  it('keeps its own folder out of version control', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:.assay/assay.db', folder))[Symbol.asyncDispose]();
    expect(await readFile(join(folder, '.assay', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('commits with full synchronisation in write-ahead mode', async () => {
    const { store, db } = await openSqlStore('sqlite:assay.db', await temporaryFolder());
    await using _closed = store;
    const synchronousFull = 2;
    const mode = await sql`select * from pragma_journal_mode, pragma_synchronous`.execute(db);
    expect(mode.rows).toEqual([{ journal_mode: 'wal', synchronous: synchronousFull }]);
  });

  it('is of an engine that loses no file when its log is reset at the wrong moment', async () => {
    const { store, db } = await openSqlStore('sqlite::memory:', '.');
    await using _closed = store;
    const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
    const [major = 0, minor = 0, patch = 0] = rows[0]?.version.split('.').map(Number) ?? [];
    // 3.51.3 is the first version of that series without the defect; later series never had it.
    expect(major * 1_000_000 + minor * 1_000 + patch).toBeGreaterThanOrEqual(3_051_003);
  });

  it.skipIf(!canInjectFaults)(
    'ends a run as an error when it cannot be read any more, and its file is whole',
    async () => {
      const folder = await temporaryFolder({
        'tool.mjs': 'export const same = (input) => ({ input });',
        's.yaml':
          'name: S\ncall: { module: ./tool.mjs, export: same }\nrepeat: 20\ncases: [{ input: 1 }]\npassCriteria: [result.input === 1]\n',
      });
      const before = JSON.parse((await assay(['run', '--json'], { cwd: folder })).stdout);
      const { exitCode, stderr } = await assayWithFault(folder, ['run', '--json'], {
        call: 'pread64',
        nth: '12+',
        error: 'EIO',
      });
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('assay.db could not be read or written')]);
      expect((await assay(['store', 'check'], { cwd: folder })).exitCode).toBe(0);
      const { totals } = JSON.parse((await assay(['show', before.runId, '--json'], { cwd: folder })).stdout);
      expect(totals).toEqual(before.totals);
    },
  );

  it.each(['deleted', 'replaced'])('acknowledges and answers nothing after its file was %s', async (change) => {
    const folder = await temporaryFolder();
    await using store = await openStore('sqlite:assay.db', folder);
    await store.createRun(runHeader('r-1'));
    await rm(join(folder, 'assay.db'));
    if (change === 'replaced') await writeFile(join(folder, 'assay.db'), '');
    const message = expect.stringContaining('was deleted or replaced while it was in use');
    const refused = { code: 'STORE_UNAVAILABLE', message };
    await expect(store.saveTrials([finishedTrial('r-1', 0)])).rejects.toMatchObject(refused);
    await expect(store.setRunStatus('r-1', 'finished', 1)).rejects.toMatchObject(refused);
    await expect(store.listRuns(1)).rejects.toMatchObject(refused);
  });

  it.skipIf(!canMountReadOnly)('is listed and checked on a medium that cannot be written', async () => {
    const folder = await temporaryFolder();
    {
      await using store = await openStore('sqlite:.assay/assay.db', folder);
      await store.createRun(runHeader('r-1'));
      await store.saveTrials([finishedTrial('r-1', 0)]);
    }
    const listed = assayOnReadOnlyFolder(folder, ['runs', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ runId: 'r-1' }]);
    const checked = assayOnReadOnlyFolder(folder, ['store', 'check']);
    expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    expect(checked.stdout).toContain('1 run, 1 trial');
  });
});

/** Runs the program in a mount namespace in which the folder is read-only. */
function assayOnReadOnlyFolder(folder: string, args: readonly string[]) {
  const program = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"';
  return spawnSync('unshare', ['--mount', 'sh', '-c', script, folder, process.execPath, program, ...args], {
    encoding: 'utf8',
  });
}
