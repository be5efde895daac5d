import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { checkStore } from '../../compose/store/check-store.ts';
import { openSqlStore, openStore } from '../../keep/store/open-store.ts';
import { finishedTrial, runHeader } from '../samples.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How often a damaged store was noticed, gave the right data all the same, or gave wrong data. */
interface Answers {
  /** A read was refused. */
  readonly detected: number;
  readonly unchanged: number;
  /** A read gave less, or other counts, and a check of the store finds it. */
  readonly foundByCheck: number;
  /** Places of bytes that change an answer without anything being said about it. */
  readonly wrong: readonly number[];
}

const store = 'sqlite:assay.db';

/** Flips one byte of a store at a time, each `stride` bytes after the last, and reads all of it. */
export async function readWithFlippedBytes(stride: number): Promise<Answers> {
  const folder = await temporaryFolder();
  {
    await using filled = await openStore(store, folder);
    await filled.createRun(runHeader('r-1'));
    const outcomes = ['pass', 'fail', 'pass', 'error'] as const;
    const trials = outcomes.map((outcome, index) =>
      finishedTrial('r-1', index, { outcome, output: 'y'.repeat(1_500) }),
    );
    await filled.saveTrials(trials);
    await filled.setRunStatus('r-1', 'finished', 1_700_000_100_000);
  }
  const file = join(folder, 'assay.db');
  const pristine = await readFile(file);
  const right = await readAll(folder);
  const counts = { detected: 0, unchanged: 0, foundByCheck: 0 };
  const wrong: number[] = [];
  for (let at = 100; at < pristine.length; at += stride) {
    const damaged = Buffer.from(pristine);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    await writeFile(file, damaged);
    const answer = await readAll(folder);
    if (answer === 'refused') counts.detected++;
    else if (isDeepStrictEqual(answer, right)) counts.unchanged++;
    else if (await isFoundByCheck(folder)) counts.foundByCheck++;
    else wrong.push(at);
  }
  return { ...counts, wrong };
}

/** Everything that commands and pages show. */
async function readAll(folder: string): Promise<unknown> {
  try {
    await using read = await openStore(store, folder);
    const trials = await read.readTrials('r-1', { limit: 10 });
    const traces: unknown[] = [];
    for (const { trialId } of trials) traces.push(await read.readTrace(trialId));
    return {
      runs: await read.listRuns(10),
      rows: await read.readRunRows({ limit: 10 }),
      counts: await read.countTrials('r-1'),
      cells: await read.countByCell('r-1'),
      list: await read.readTrialRows('r-1', { limit: 10 }),
      trials,
      traces,
    };
  } catch {
    return 'refused';
  }
}

async function isFoundByCheck(folder: string): Promise<boolean> {
  try {
    const database = await openSqlStore(store, folder);
    await using _closed = database.store;
    return (await checkStore(database, () => undefined)).problems.length > 0;
  } catch {
    return true;
  }
}
