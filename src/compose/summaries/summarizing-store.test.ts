import { describe, expect, it } from 'vitest';
import type { RunHeader, RunStatus } from '../../domain/run.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import { type FinishedTrial, requireRun, type Store } from '../../keep/store/store.ts';
import type { PackedSide } from '../../report/compare/packed-side.ts';
import { readClusteredFailures } from '../../report/reporters/failure-clusters.ts';
import type { CountedRun } from '../../report/reporters/run-view.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import { type CaseColumns, textMarks } from './case-columns.ts';
import { countStored } from './count-run.ts';
import { KeptResults } from './kept-results.ts';
import { readVariantSides } from './kept-variant-sides.ts';
import { summarize } from './summarize.ts';
import { summarizing } from './summarizing-store.ts';

const large = 1_200;
const repeats = 2;

function trialOf(runId: string, ordinal: number): FinishedTrial {
  const outcome = ordinal % 7 === 0 ? 'fail' : 'pass';
  const { record, trace } = finishedTrial(runId, ordinal, { outcome });
  const repeat = (ordinal % repeats) + 1;
  const excerpt = { input: `order ${ordinal}`, answer: 'on its\u001e way', metadata: { topic: `t${ordinal % 3}` } };
  const variant = { model: repeat === 1 ? 'one' : 'two', agent: ordinal < large / 2 ? 'first' : 'second' };
  return { trace, record: { ...record, caseId: `case-${Math.floor(ordinal / repeats)}`, repeat, excerpt, variant } };
}

interface Ending {
  readonly count?: number;
  readonly status?: RunStatus;
  readonly change?: (store: Store) => Promise<unknown>;
  readonly mostShare?: number;
  readonly header?: Partial<RunHeader>;
}

/** Runs as a process does that finishes trials in another order than that of the plan. */
async function run(given: Store, runId: string, ending: Ending = {}) {
  const { count = large, status = 'finished', change, mostShare = Number.POSITIVE_INFINITY, header } = ending;
  const store = summarizing(given, mostShare);
  await store.createRun(runHeader(runId, { planned: count, ...header }));
  const lease = await RunLease.take(runId, store, { signal: new AbortController().signal });
  const trials = Array.from({ length: count }, (_, ordinal) => trialOf(runId, ordinal));
  for (let first = 0; first < count; first += 100) await store.saveTrials(trials.slice(first, first + 100).reverse());
  await change?.(store);
  await lease.end(status, 1_800_000_000_000);
  return requireRun(given, runId);
}

/** All that is kept of the columns of a run. */
async function keptColumns(store: Store, runId: string) {
  const kept = await KeptResults.of([await requireRun(store, runId)], store);
  if (!kept || !(await kept.isComplete('columns'))) return undefined;
  const { textStamp, ...columns } = (await kept.read<CaseColumns>('columns')) as CaseColumns;
  const texts = await KeptResults.partsOf(runId, store, textStamp).read('texts 0');
  const metadata = await kept.read('metadata 0');
  return { columns, texts, metadata, judged: await kept.read('judged'), clusters: await kept.read('clusters') };
}

/** A run as a side of comparisons, as it is kept. */
async function keptSide(store: Store, runId: string): Promise<PackedSide | undefined> {
  const kept = await KeptResults.of([await requireRun(store, runId)], store);
  return (await kept?.isComplete('side')) ? kept?.read('side') : undefined;
}

/** Its variants as sides by each part; a part that is not there was not collected while it ran. */
async function keptVariants(store: Store, runId: string) {
  const kept = await KeptResults.of([await requireRun(store, runId)], store);
  if (!kept) return undefined;
  const [model, agent] = [await readVariantSides(kept, 'model'), await readVariantSides(kept, 'agent')];
  return { model, agent, isComplete: await kept.isComplete('variants') };
}

describe('a store of a process that runs', () => {
  it('keeps the columns and causes of a large run at its end, the same that reading it makes, and reads no trial for them', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const refused = { ...store, readTrials: () => Promise.reject(new Error('A trial was read.')) };
    await run(refused, 'r-1');
    const collected = await keptColumns(store, 'r-1');
    expect(collected?.columns.ordinals).toHaveLength(large);
    expect(String(collected?.texts).split(textMarks.trial)).toHaveLength(large);
    expect(collected?.clusters).toEqual(await readClusteredFailures(store, 'r-1'));
    const side = await keptSide(store, 'r-1');
    expect(side).toBeDefined();
    await store.replaceTrials([trialOf('r-1', 0)]);
    expect(await keptColumns(store, 'r-1')).toBeUndefined();
    await summarize(store, await requireRun(store, 'r-1'));
    expect(await keptColumns(store, 'r-1')).toEqual(collected);
    expect(await keptSide(store, 'r-1')).toEqual(side);
  });

  it('keeps its variants as sides, and leaves parts that differ late to a reading of the run', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const refused = { ...store, readTrials: () => Promise.reject(new Error('A trial was read.')) };
    const ended = await run(refused, 'r-1');
    const collected = await keptVariants(store, 'r-1');
    expect(collected?.model?.map(({ label }) => label)).toEqual(['one', 'two']);
    expect(collected).toMatchObject({ agent: undefined, isComplete: false });
    await summarize(store, ended);
    const read = await keptVariants(store, 'r-1');
    expect(read?.model).toEqual(collected?.model);
    expect(read?.agent?.map(({ label, totals }) => [label, totals.trials])).toEqual([
      ['first', large / 2],
      ['second', large / 2],
    ]);
    expect(read?.isComplete).toBe(true);
  });

  it('keeps the figures of a large run too, also where its columns would take a larger share of its time', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const refused = { ...store, readTrials: () => Promise.reject(new Error('A trial was read.')) };
    const ended = await run(refused, 'r-1', { mostShare: Number.NEGATIVE_INFINITY });
    const kept = await KeptResults.of([ended], store);
    const figures = await kept?.read<CountedRun>('figures');
    expect(figures?.counts.pass).toBeGreaterThan(0);
    expect(figures).toEqual(await countStored(ended, store));
  });

  it('reads an imported run at its end, whose trials came in any order', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const origin = { kind: 'import', file: 'f', format: 'jsonl' } as const;
    await run(store, 'r-1', { header: { request: { paths: [], origin } } });
    expect((await keptColumns(store, 'r-1'))?.columns.ends).toHaveLength(large / repeats);
  });

  it('keeps nothing of runs that are small, were interrupted or changed, or of which it would take a larger share', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const changed = trialOf('r-changed', 3);
    const endings: Record<string, Ending> = {
      'r-small': { count: 1_000 },
      'r-interrupted': { status: 'interrupted' },
      'r-changed': { change: (running) => running.replaceTrials([changed]) },
      'r-cheap': { mostShare: Number.NEGATIVE_INFINITY },
    };
    for (const [runId, ending] of Object.entries(endings)) {
      await run(store, runId, ending);
      expect(await keptColumns(store, runId), runId).toBeUndefined();
    }
  });
});
