import type { Outcome } from '../../domain/outcome.ts';
import type { RunHeader } from '../../domain/run.ts';
import { type FinishedTrial, requireRun, type Store } from '../../keep/store/store.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { finishedTrial, runHeader } from '../samples.ts';

const words = ['Refund', 'order', 'İstanbul', 'the', 'not found', 'a\nline', '…'];
const repeats = 4;

/** Trials with figures, texts and verdicts drawn from a seed; some of each are missing. */
function trialsOf(runId: string, count: number, seed: number): FinishedTrial[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const text = () => Array.from({ length: 4 }, () => pick(words)).join(' ');
  return Array.from({ length: count }, (_, ordinal) => {
    const outcome: Outcome = pick(['pass', 'pass', 'pass', 'fail', 'error']);
    const place = Math.floor(ordinal / (2 * repeats));
    const { record, trace } = finishedTrial(runId, ordinal, { outcome, scenario: `scenario ${Math.floor(place / 5)}` });
    const state = outcome === 'fail' ? 'fail' : 'pass';
    const isCalled = { type: 'called', kind: 'assertion', state, success: state === 'pass', reason: 'r' } as const;
    const excerpt = { input: text(), expected: text(), ...(random() < 0.8 && { answer: text() }) };
    return {
      trace,
      record: {
        ...record,
        caseId: `row-${place}`,
        repeat: (ordinal % repeats) + 1,
        variant: { model: ordinal % (2 * repeats) < repeats ? 'one' : 'two' },
        reason: text(),
        durationMs: random() < 0.1 ? null : Math.floor(random() * 50),
        costUsd: random() < 0.1 ? null : Math.floor(random() * 9) / 100,
        evaluatorResults: random() < 0.2 ? [] : [isCalled, isCalled],
        metrics: { calls: random() < 0.2 ? null : Math.floor(random() * 5) },
        ...(random() < 0.9 && { excerpt: { ...excerpt, metadata: { topic: pick(['x', 'y']) } } }),
      },
    };
  });
}

/** Stores an ended run of so many drawn trials. */
export async function fillStore(store: Store, runId: string, count: number, seed = 1): Promise<RunHeader> {
  const cases = Math.ceil(count / (2 * repeats));
  const scenarios = Array.from({ length: Math.ceil(cases / 5) }, (_, index) => ({
    ...(runHeader(runId).scenarios[0] as RunHeader['scenarios'][number]),
    name: `scenario ${index}`,
    caseCount: 5,
  }));
  await store.createRun(
    runHeader(runId, { planned: count, status: 'finished', finishedAt: 1_800_000_000_000, scenarios }),
  );
  const trials = trialsOf(runId, count, seed);
  for (let first = 0; first < count; first += 500) await store.saveTrials(trials.slice(first, first + 500));
  return requireRun(store, runId);
}
