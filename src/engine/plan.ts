import { AssayError } from '../domain/errors.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { Variant } from '../domain/variant.ts';
import { contentKey } from '../shared/ids.ts';
import { canonicalJson } from '../shared/json.ts';
import { type Random, seededRandom } from '../shared/seeded-random.ts';

/**
 * The trials of a run in order, made one by one. A trial's id follows from what the trial is: the same run,
 * scenario, variant, case and repeat always give the same id, which makes resuming and repeated writes harmless.
 */
export async function* plan(runId: string, scenarios: readonly Scenario[]): AsyncGenerator<Trial, void> {
  let ordinal = 0;
  const random = seededRandom(Number.parseInt(contentKey([runId]).slice(0, 8), 16) || 0);
  for (const scenario of scenarios) {
    const variants = scenario.variants.map((variant) => ({ variant, key: variantKey(runId, scenario, variant) }));
    let caseNumber = 0;
    for await (const testCase of scenario.cases()) {
      caseNumber++;
      // Variants take turns, in an order that is drawn for each turn: the one that always starts first would meet an idler machine.
      for (let repeat = 1; repeat <= scenario.repeat; repeat++) {
        for (const [{ variant, key }, place] of drawn(variants, random)) {
          const trialId = `t-${key}-${caseNumber}-${repeat}`;
          yield { trialId, runId, ordinal: ordinal + place, scenario, case: testCase, variant, repeat };
        }
        ordinal += variants.length;
      }
    }
  }
}

/** Items with their places, in an order by chance. */
function drawn<Item>(items: readonly Item[], random: Random): (readonly [Item, number])[] {
  const order = items.map((item, place) => [item, place] as const);
  for (let left = order.length - 1; left > 0; left--) {
    const chosen = Math.floor(random() * (left + 1));
    const kept = order[left] as (typeof order)[number];
    order[left] = order[chosen] as (typeof order)[number];
    order[chosen] = kept;
  }
  return order;
}

function variantKey(runId: string, { file, contentHash }: Scenario, variant: Variant): string {
  const isDirect = Object.keys(variant).length === 0;
  return contentKey([runId, file, contentHash, ...(isDirect ? [] : [canonicalJson(variant)])]);
}

/** How many trials a plan for these scenarios has. */
export function plannedCount(scenarios: readonly Scenario[]): number {
  return scenarios.reduce((total, scenario) => total + trialCount(scenario), 0);
}

/** How many trials one scenario has. */
export function trialCount({ caseCount, variants, repeat }: Scenario): number {
  return caseCount * variants.length * repeat;
}

/** Trials behind the cursor that are still at hand. */
const keptBehind = 2_000;

/** Finds trials of a plan by their place in it, reading forwards; the plan restarts when it must go far back. */
export class PlanCursor {
  readonly #plan: () => AsyncGenerator<Trial, void>;
  readonly #passed = new Map<number, Trial>();
  #trials: AsyncGenerator<Trial, void>;
  #next = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(plan: () => AsyncGenerator<Trial, void>) {
    this.#plan = plan;
    this.#trials = plan();
  }

  /** The trial at this place; the id must be the one that is expected there. */
  find(ordinal: number, trialId: string): Promise<Trial> {
    const found = this.#turn.then(() => this.#read(ordinal));
    this.#turn = found.catch(() => undefined);
    return found.then((trial) => {
      if (trial?.trialId === trialId) return trial;
      throw new AssayError(
        'RUN_CHANGED',
        `The plan on this machine has ${trial?.trialId ?? 'no trial'} at place ${ordinal}, where ${trialId} is expected.`,
      );
    });
  }

  async #read(ordinal: number): Promise<Trial | undefined> {
    if (this.#passed.has(ordinal)) return this.#passed.get(ordinal);
    if (ordinal + keptBehind / 2 < this.#next) await this.#restart();
    // Variants come in an order by chance, so a trial may come after the next ones.
    while (!this.#passed.has(ordinal)) {
      const { value, done } = await this.#trials.next();
      if (done || !value) return undefined;
      this.#next = Math.max(this.#next, value.ordinal + 1);
      this.#passed.set(value.ordinal, value);
      this.#passed.delete(value.ordinal - keptBehind);
    }
    return this.#passed.get(ordinal);
  }

  async #restart(): Promise<void> {
    await this.#trials.return();
    this.#trials = this.#plan();
    this.#passed.clear();
    this.#next = 0;
  }

  /** Lets go of open files. */
  async close(): Promise<void> {
    await this.#trials.return();
  }
}
