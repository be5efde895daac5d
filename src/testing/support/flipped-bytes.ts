import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openStore } from '../../keep/store/open-store.ts';
import { finishedTrial } from '../samples.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How often a damaged store was noticed, gave the right data all the same, or gave wrong data. */
interface Answers {
  readonly detected: number;
  readonly unchanged: number;
  readonly wrong: readonly number[];
}

/** Flips one byte of a stored trial's database at a time, each `stride` bytes after the last, and reads the trial. */
export async function readWithFlippedBytes(stride: number): Promise<Answers> {
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
  const wrong: number[] = [];
  for (let at = 100; at < pristine.length; at += stride) {
    const damaged = Buffer.from(pristine);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    await writeFile(file, damaged);
    const answer = await readAll(folder, trial.record.trialId);
    if (answer === 'error') detected++;
    else if (isDeepStrictEqual(answer, { record: trial.record, trace: trial.trace })) unchanged++;
    else if (answer !== 'missing') wrong.push(at);
  }
  return { detected, unchanged, wrong };
}

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
