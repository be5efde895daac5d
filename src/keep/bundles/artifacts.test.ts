import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../testing/fakes/keep/memory-files.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { fetchArtifacts, listArtifacts, readArtifact, storeArtifacts } from './artifacts.ts';
import { removeUnusedFiles } from './stored-files.ts';

const limits = { secrets: ['very-secret-value'] };

const files = {
  'report.md': '# Report\n',
  'transcript.raw.txt': 'line\n'.repeat(100_000),
  'fixture/out/result.json': '{}',
  'home/.config/agent.json': '{"key":"k"}',
  'tmp/x': 'x',
  'recorder/bin/tool': '#!/bin/sh',
};

async function text(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe('what a trial leaves behind', () => {
  it('can be fetched and read elsewhere, without what is of use only where it ran', async () => {
    const { stored } = await memoryFiles();
    const { setId, leftOut } = await storeArtifacts(await temporaryFolder(files), limits, stored);
    await stored.assign(setId, { runId: 'r-1', trialId: 't-1' });
    expect(leftOut).toEqual([]);

    const folder = join(await temporaryFolder(), 't-1');
    expect(await fetchArtifacts('t-1', folder, stored)).toBe(true);
    expect(await readFile(join(folder, 'fixture/out/result.json'), 'utf8')).toBe('{}');
    expect((await listArtifacts('t-1', stored))?.map(({ path }) => path)).toEqual([
      'fixture/out/result.json',
      'report.md',
      'transcript.raw.txt',
    ]);
    const transcript = await readArtifact('t-1', 'transcript.raw.txt', stored);
    expect(transcript?.byteCount).toBe(500_000);
    expect(transcript && (await text(transcript.chunks))).toBe(files['transcript.raw.txt']);
  });

  it('is said to be missing where nothing is stored', async () => {
    const { stored } = await memoryFiles();
    expect(await fetchArtifacts('t-1', join(await temporaryFolder(), 'x'), stored)).toBe(false);
    expect(await listArtifacts('t-1', stored)).toBeUndefined();
    expect(await readArtifact('t-1', 'report.md', stored)).toBeUndefined();
  });

  it('gives no file for a path that is not in the list', async () => {
    const { stored } = await memoryFiles();
    const { setId } = await storeArtifacts(await temporaryFolder(files), limits, stored);
    await stored.assign(setId, { runId: 'r-1', trialId: 't-1' });
    for (const path of ['../../etc/passwd', '/etc/passwd', 'fixture', 'fixture/../report.md', '']) {
      expect(await readArtifact('t-1', path, stored)).toBeUndefined();
    }
  });

  it('stays behind where it must not travel, and the rest travels', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({
      'report.md': 'fine',
      'fixture/leak.txt': 'x very-secret-value x',
      'fixture/large.bin': Buffer.alloc(2_000_000),
    });
    await symlink('/usr/bin/env', join(folder, 'fixture/env'));
    const { setId, leftOut } = await storeArtifacts(folder, { ...limits, maxBytes: 1_000_000 }, stored);
    expect(leftOut.map(({ path }) => path).sort()).toEqual(['fixture/env', 'fixture/large.bin', 'fixture/leak.txt']);
    expect((await stored.readSet(setId)).entries.map(({ path }) => path)).toEqual(['report.md']);
  });
});

describe('files of runs that are gone', () => {
  const run = {
    started_at: 1,
    finished_at: null,
    status: 'finished',
    planned: 1,
    assay_version: '0',
    request: '{}',
    scenarios: '[]',
  };

  it('are removed with all that is unused elsewhere, after a day', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { stored, db } = await memoryFiles(() => clock.now);
    const insert = (run_id: string) =>
      db
        .insertInto('runs')
        .values({ run_id, ...run, checksum: 0 })
        .execute();
    await insert('r-kept');
    await insert('r-gone');
    const kept = await storeArtifacts(await temporaryFolder({ shared: 'a', own: 'b' }), limits, stored);
    const gone = await storeArtifacts(await temporaryFolder({ shared: 'a', other: 'c' }), limits, stored);
    await stored.assign(kept.setId, { runId: 'r-kept', trialId: 't-kept' });
    await stored.assign(gone.setId, { runId: 'r-gone', trialId: 't-gone' });

    clock.now += 25 * 3_600_000;
    expect(await removeUnusedFiles(db, clock.now)).toBe(0);
    await db.deleteFrom('runs').where('run_id', '=', 'r-gone').execute();
    expect(await removeUnusedFiles(db, clock.now)).toBe(1);
    expect(await fetchArtifacts('t-gone', join(await temporaryFolder(), 'x'), stored)).toBe(false);
    expect(await fetchArtifacts('t-kept', join(await temporaryFolder(), 'x'), stored)).toBe(true);
  });

  it('stay when another process is about to use them again', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { stored, db } = await memoryFiles(() => clock.now);
    const folder = await temporaryFolder({ a: 'a' });
    await storeArtifacts(folder, limits, stored);
    clock.now += 25 * 3_600_000;
    const { setId } = await storeArtifacts(folder, limits, stored);
    expect(await removeUnusedFiles(db, clock.now)).toBe(0);
    expect((await stored.readSet(setId)).entries).toHaveLength(1);
  });
});
