import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { summarizeRun } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { recorded, traceOf } from '../../testing/fakes/score/fake-trace.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import { consoleReporter } from './console.ts';
import { clustersText, readFailureClusters } from './failure-clusters.ts';
import { markdownReporter } from './markdown.ts';
import type { Reporter } from './reporter.ts';

const added = traceOf(recorded(['taskmgr', 'doctor'], 0), recorded(['taskmgr', 'add', 'x'], 2));

/** A trial that failed because it does not hold what it should. */
function failed(ordinal: number, file: string, more: Partial<TrialRecord> = {}, trace: Trace = added) {
  const { record } = finishedTrial('r-1', ordinal, { outcome: 'fail' });
  const reason = `"${file}" does not exist`;
  return {
    trace,
    record: {
      ...record,
      reason,
      gates: [{ gate_type: 'file_exists', passed: false, message: reason }],
      evaluatorResults: [
        { type: 'file_exists', kind: 'assertion' as const, state: 'fail' as const, success: false, reason },
      ],
      ...more,
    },
  };
}

async function storeOf(trials: readonly FinishedTrial[]): Promise<Store> {
  const store = await openStore('sqlite::memory:', '.');
  await store.createRun(runHeader('r-1', { planned: trials.length }));
  await store.saveTrials(trials);
  return store;
}

async function rendered(reporter: Reporter, store: Store): Promise<string> {
  const run = await store.findRun('r-1');
  if (!run) throw new Error('There is no run.');
  const summary = summarizeRun(run, await store.countTrials('r-1'), run.startedAt);
  let text = '';
  for await (const piece of reporter.render({ summary, store }, { color: false })) text += piece;
  return text;
}

describe('what did not pass, in reports', () => {
  const alike = Array.from({ length: 8 }, (_, index) =>
    failed(index, `${String.fromCharCode(97 + index)}.csv`, index > 5 ? { scenario: 'other' } : {}),
  );

  it('lists a few problems each for itself', async () => {
    await using store = await storeOf(alike.slice(0, 3));
    const text = await rendered(consoleReporter, store);
    for (const name of ['a', 'b', 'c']) expect(text).toContain(`✗ file_exists\n        "${name}.csv" does not exist`);
    expect(text).not.toContain('Next:');
    expect((await rendered(markdownReporter, store)).match(/^### /gm)).toHaveLength(3);
  });

  it('puts more of them together by what went wrong, with an example and a next step', async () => {
    await using store = await storeOf([
      ...alike,
      failed(8, '', { outcome: 'error', reason: 'no answer', gates: [], evaluatorResults: [] }, []),
    ]);
    const text = await rendered(consoleReporter, store);
    expect(text.match(/FAIL /g)).toHaveLength(1);
    expect(text).toContain('8 trials (89 % of all that did not pass) in 2 scenarios: sample, other');
    expect(text).toContain('gate file_exists: … does not exist');
    expect(text).toContain('First to fail: $ taskmgr add x (exit 2), in 5 of 5 traces read');
    expect(text).toContain('Next: Open the file in the work directory');
    expect(text).toMatch(/assay show t-\S+-0-1, also t-\S+-1-1, t-\S+-2-1, t-\S+-3-1, …/);
    expect(text).not.toContain('more trial');
    const markdown = await rendered(markdownReporter, store);
    expect(markdown.match(/^### /gm)).toHaveLength(2);
    expect(markdown).toContain('gate file\\_exists: … does not exist');
    expect(markdown).toContain('**Next:** Open the file in the work directory');
  });

  it('says how many are in no list', async () => {
    const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const trials = Array.from({ length: 30 }, (_, index) =>
      failed(index, '', {
        reason: `odd ${letters(index)}`,
        gates: [{ gate_type: 'script', passed: false, message: `odd ${letters(index)}` }],
        evaluatorResults: [
          { type: 'script', kind: 'assertion', state: 'fail', success: false, reason: `odd ${letters(index)}` },
        ],
      }),
    );
    await using store = await storeOf(trials);
    const text = await rendered(consoleReporter, store);
    expect(text.match(/FAIL /g)).toHaveLength(20);
    expect(text).toContain('… and 10 more trials that did not pass: assay show r-1 --clusters');
  });

  it('says so when everything passed', async () => {
    await using store = await storeOf([finishedTrial('r-1', 0)]);
    expect(clustersText(await readFailureClusters(store, 'r-1', 10), false)).toBe(
      'Nothing failed, and all that ran could be judged.\n',
    );
  });

  it('reads thousands of trials that failed, and keeps a few', async () => {
    await using store = await storeOf(Array.from({ length: 5_000 }, (_, index) => failed(index, `file-${index}.csv`)));
    const { clusters, count } = await readFailureClusters(store, 'r-1', 10);
    expect(count).toBe(5_000);
    expect(clusters).toMatchObject([{ count: 5_000, share: 1, firstFailure: { trials: 5, lookedAt: 5 } }]);
    expect(clusters[0]?.trialIds.length).toBeLessThanOrEqual(10);
  });
});
