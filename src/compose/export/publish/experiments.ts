import type { RunHeader } from '../../../domain/run.ts';
import { pullConcurrently } from '../../../shared/async.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { PublishedTrial } from './published-trial.ts';

/** One experiment of a run: services compare experiments, so each variant is one. */
export interface PublishedExperiment {
  /** The same whenever it is made of the same run. */
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly trials: readonly PublishedTrial[];
}

/** The trials of a run by experiment; `isOnePerItem`: where an item may occur once, each repetition is one too. */
export function experimentsOf(
  run: RunHeader,
  trials: readonly PublishedTrial[],
  { isOnePerItem = false } = {},
): PublishedExperiment[] {
  const groups = new Map<string, PublishedTrial[]>();
  for (const trial of trials) {
    const key = JSON.stringify([trial.variant, isOnePerItem ? trial.repeat : 1]);
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  return [...groups].map(([key, group]) => {
    const [variant, repeat] = JSON.parse(key) as [string, number];
    const { runId, assayVersion, request } = run;
    const parts = [request.name, variant, repeat > 1 ? `repeat ${repeat}` : ''].filter((part) => part);
    return {
      id: `assay-${sha256(`${runId} ${key}`).slice(0, 32)}`,
      name: [runId, ...parts].join(', '),
      metadata: { assayRun: runId, assayExperiment: key, assayVersion, variant },
      trials: group,
    };
  });
}

/** A promise that is made once for each name, and again after it failed. */
export class OncePerName<Value> {
  readonly #made = new Map<string, Promise<Value>>();

  get(name: string, make: () => Promise<Value>): Promise<Value> {
    const earlier = this.#made.get(name);
    if (earlier) return earlier;
    const making = make();
    this.#made.set(name, making);
    making.catch(() => this.#made.delete(name));
    return making;
  }
}

const mostAtATime = 8;

/** Does the work for all, a few at a time; the first failure is thrown when what was begun has ended. */
export async function forAll<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  await pullConcurrently(itemsOf(items), mostAtATime, async (item) => void (await work(item)));
}

async function* itemsOf<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}
