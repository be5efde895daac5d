import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { openStore } from '../src/store/open-store.ts';
import { finishedTrial, runHeader } from '../src/testing/samples.ts';
import { describeStoreContract } from '../src/testing/store-contract.ts';
import { complaintsOfWriters } from './support/store-writers.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

describeStoreContract('sqlite file', async () => openStore('sqlite:assay.db', await temporaryFolder()));
describeStoreContract('sqlite in memory', async () => openStore('sqlite::memory:', '.'));

describe('a sqlite store', () => {
  it('takes writes of four processes at once, losing none and showing no lock error', async () => {
    const folder = await temporaryFolder();
    expect(await complaintsOfWriters(`sqlite:${folder}/assay.db`, 5_000, 400)).toEqual(['', '', '', '']);
    await using store = await openStore('sqlite:assay.db', folder);
    for (const runId of ['r-0', 'r-1', 'r-2', 'r-3']) expect((await store.countTrials(runId)).pass, runId).toBe(5_000);
    expect((await store.countTrials('r-shared')).pass).toBe(400);
  });

  it('tells of flipped bytes instead of giving wrong data', async () => {
    const folder = await temporaryFolder();
    const trial = finishedTrial('r-1', 0, { output: 'y'.repeat(5_000) });
    {
      await using store = await openStore('sqlite:assay.db', folder);
      await store.saveTrials([trial]);
    }
    const file = join(folder, 'assay.db');
    const pristine = await readFile(file);
    let detected = 0;
    let unchanged = 0;
    for (let at = 100; at < pristine.length; at += 97) {
      const damaged = Buffer.from(pristine);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      await writeFile(file, damaged);
      const seen = await readAll(folder, trial.record.trialId);
      if (seen === 'error') detected++;
      else if (seen !== 'missing') {
        expect(seen).toEqual({ record: trial.record, trace: trial.trace });
        unchanged++;
      }
    }
    expect(detected).toBeGreaterThan(0);
    expect(unchanged).toBeGreaterThan(0);
  });

  it('refuses a store that a newer version has written', async () => {
    const folder = await temporaryFolder();
    await (await openStore('sqlite:assay.db', folder))[Symbol.asyncDispose]();
    const database = new Database(join(folder, 'assay.db'));
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
    const folder = await temporaryFolder();
    await using store = await openStore('sqlite:assay.db', folder);
    await store.createRun(runHeader('r-1'));
    const database = new Database(join(folder, 'assay.db'));
    expect(database.pragma('journal_mode', { simple: true })).toMatchObject({ journal_mode: 'wal' });
    database.close();
  });
});

async function readAll(folder: string, trialId: string): Promise<unknown> {
  try {
    await using store = await openStore('sqlite:assay.db', folder);
    const record = await store.findTrial(trialId);
    if (!record) return 'missing';
    return { record, trace: await store.readTrace(trialId) };
  } catch {
    return 'error';
  }
}
