import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const caseCount = repetitions({ usual: 400, inFull: 1_000 });
const kills = repetitions({ usual: 6, inFull: 20 });
const concurrency = 8;

const scenario = `name: Count
call: { module: ./tool.mjs, export: work }
dataset: ./rows.jsonl
passCriteria: [result.value === input.value]
`;
/** Gets no further than it may before it is killed, however late the kill comes: after that many calls it hangs. */
const tool = `import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
let calls = 0;
export async function work({ value }) {
  calls += 1;
  appendFileSync('calls.log', 'called\\n');
  await wait(calls > Number(process.env.CALLS_BEFORE_HANGING ?? Infinity) ? 600_000 : value % 7);
  return { value };
}
`;
/** So many that all processes do not finish the run between them, and each has something to store. */
const callsPerLife = 45;
const rows = Array.from({ length: caseCount }, (_, value) => JSON.stringify({ value })).join('\n');

interface TrialDocument {
  readonly trialId: string;
  readonly caseId: string;
  readonly outcome: string;
  readonly reason: string;
}

/** The run as a report shows it, without what differs between two runs of the same thing. */
function comparable(document: { readonly totals: unknown; readonly trials: readonly TrialDocument[] }) {
  return {
    totals: document.totals,
    trials: document.trials.map(({ caseId, outcome, reason }) => ({ caseId, outcome, reason })),
  };
}

/** Kills the program, without a chance to tidy up, once some more trials are durable. */
async function killWhenStored(
  child: ChildProcess,
  folder: string,
  runId: string | undefined,
  wanted: number,
): Promise<void> {
  const store = await openProjectStore(folder);
  try {
    for (let look = 0; look < 10_000 && child.exitCode === null; look++) {
      const run = await store.findRun(runId ?? 'latest');
      if (run && (await store.countTrials(run.runId)).pass >= wanted) break;
      // Looking without a pause would take the processor from the program that is looked at.
      await wait(5);
    }
  } finally {
    await store[Symbol.asyncDispose]();
  }
  child.kill('SIGKILL');
  await ended(child);
}

describe('a run that is killed', () => {
  it(`loses nothing and records nothing twice over ${kills} kills`, async () => {
    const folder = await temporaryFolder({ 's.yaml': scenario, 'tool.mjs': tool, 'rows.jsonl': rows });
    const flags = ['--concurrency', String(concurrency), '--quiet'];
    const random = seeded(20_261_115);

    const env = { CALLS_BEFORE_HANGING: String(callsPerLife) };
    await killWhenStored(
      startAssay(['run', 's.yaml', ...flags], { cwd: folder, env }),
      folder,
      undefined,
      1 + Math.floor(random() * 40),
    );
    const store = await openProjectStore(folder);
    const runId = (await store.findRun('latest'))?.runId ?? '';
    for (let kill = 1; kill < kills; kill++) {
      const stored = (await store.countTrials(runId)).pass;
      expect(stored).toBeLessThan(caseCount);
      const child = startAssay(['run', '--resume', runId, ...flags], { cwd: folder, env });
      await killWhenStored(child, folder, runId, stored + Math.floor(random() * 40));
    }
    await store[Symbol.asyncDispose]();

    const finished = await assay(['run', '--resume', runId, '--json', ...flags], { cwd: folder });
    expect(finished.exitCode).toBe(0);
    const document = JSON.parse(finished.stdout);
    expect(document.runId).toBe(runId);
    expect(new Set(document.trials.map((trial: TrialDocument) => trial.trialId)).size).toBe(caseCount);

    const unkilled = JSON.parse((await assay(['run', 's.yaml', '--json', ...flags], { cwd: folder })).stdout);
    expect(comparable(document)).toEqual(comparable(unkilled));
    // Many starts of the program, one after the other, on a machine that may have other work.
  }, 300_000);

  it('runs nothing again but what was running when it was killed', async () => {
    const planned = 60;
    const lives = 2;
    const folder = await temporaryFolder({
      's.yaml': scenario,
      'tool.mjs': tool,
      'rows.jsonl': rows.split('\n').slice(0, planned).join('\n'),
    });
    const flags = ['--concurrency', String(concurrency), '--quiet'];
    const env = { CALLS_BEFORE_HANGING: '20' };
    for (let life = 1; life <= lives; life++) {
      const args = life === 1 ? ['run', 's.yaml'] : ['run', '--resume', 'latest'];
      // All that has ended is stored by itself, although nothing else ends any more.
      await killWhenStored(startAssay([...args, ...flags], { cwd: folder, env }), folder, undefined, life * 20);
    }
    const finished = await assay(['run', '--resume', 'latest', '--json', ...flags], { cwd: folder });
    expect(JSON.parse(finished.stdout).totals).toMatchObject({ planned, pass: planned });
    const calls = (await readFile(join(folder, 'calls.log'), 'utf8')).split('\n').length - 1;
    expect(calls).toBeGreaterThan(planned);
    expect(calls - planned).toBeLessThanOrEqual(lives * concurrency);
  });

  it('is refused when its files have changed since', async () => {
    const folder = await temporaryFolder({ 's.yaml': scenario, 'tool.mjs': tool, 'rows.jsonl': rows });
    const env = { CALLS_BEFORE_HANGING: String(callsPerLife) };
    await killWhenStored(startAssay(['run', 's.yaml', '--quiet'], { cwd: folder, env }), folder, undefined, 1);
    await writeFiles(folder, { 'rows.jsonl': rows.replace('{"value":399}', '{"value":1399}') });
    const result = await assay(['run', '--resume', 'latest'], { cwd: folder });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('s.yaml was changed');
  });

  it('can be resumed after it has finished, and then runs nothing', async () => {
    const folder = await temporaryFolder({
      's.yaml': scenario,
      'tool.mjs': tool,
      'rows.jsonl': '{"value":1}\n{"value":2}\n',
    });
    await assay(['run', 's.yaml'], { cwd: folder });
    const again = await assay(['run', '--resume', 'latest', '--json'], { cwd: folder });
    expect(JSON.parse(again.stdout).totals).toMatchObject({ planned: 2, pass: 2 });
    expect(JSON.parse(again.stdout)).not.toHaveProperty('pausedMs');
    expect(again.stderr).toContain('Nothing is left to run: all 2 trials are stored');
  });
});

/** A small generator of numbers from 0 to 1 that gives the same ones each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
