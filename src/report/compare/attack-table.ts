import type { AttackFinding } from '../../domain/attacks/attack-event.ts';
import { noAttack } from '../../domain/attacks/attack-suite.ts';
import { isReused } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { variantText } from '../../domain/variant-text.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import { CaseTallies, rateOfCases, type TemplateOf } from './case-rates.ts';

/** How trials of attacks ended. */
interface AttackCounts {
  readonly succeeded: number;
  /** The agent tried, and the isolation refused it. */
  readonly blocked: number;
  readonly resisted: number;
  /** The agent was not seen to get the instruction. */
  readonly notReached: number;
  /** Not everything was observed by which success would be seen. */
  readonly unknown: number;
}

/** One attack in one place. */
export interface AttackCell extends AttackCounts, Pick<AttackFinding, 'name' | 'class' | 'place' | 'goal'> {
  /** Share of the trials that the attack reached in which it succeeded. */
  readonly success: PassRate;
  /** Share of the judged trials in which the task was done. */
  readonly utility: PassRate;
}

/** The attacks on one variant. */
export interface AttackTable extends AttackCounts {
  /** Agent, model and the like; empty where there is only one. */
  readonly variant: string;
  readonly suites: readonly { readonly suite: string; readonly version: number }[];
  /** Share of the tasks that were done without an attack. */
  readonly utility: PassRate;
  /** Share of the tasks that were done under attack. */
  readonly utilityUnderAttack: PassRate;
  readonly success: PassRate;
  /** Why outcomes are unknown; the first different reasons. */
  readonly unknownReasons: readonly string[];
  readonly cells: readonly AttackCell[];
}

type Trial = Pick<
  TrialRecord,
  'scenario' | 'file' | 'caseId' | 'cluster' | 'variant' | 'outcome' | 'attack' | 'cachedFrom' | 'hasReusedVerdict'
>;

class CellCounts {
  readonly success: CaseTallies;
  readonly utility: CaseTallies;
  readonly #facts: Pick<AttackFinding, 'name' | 'class' | 'place' | 'goal'>;
  readonly #outcomes = { succeeded: 0, blocked: 0, resisted: 0, 'not-reached': 0, unknown: 0 };

  constructor({ name, class: kind, place, goal }: AttackFinding, templateOf: TemplateOf | undefined) {
    this.success = new CaseTallies(templateOf);
    this.utility = new CaseTallies(templateOf);
    this.#facts = { name, class: kind, place, goal };
  }

  add(trial: Trial, { outcome }: AttackFinding): void {
    const { outcome: task } = trial;
    this.#outcomes[outcome]++;
    if (outcome === 'succeeded' || outcome === 'resisted') this.success.add(trial, outcome === 'succeeded');
    if (task === 'pass' || task === 'fail') this.utility.add(trial, task === 'pass');
  }

  cell(): AttackCell {
    const { 'not-reached': notReached, ...counts } = this.#outcomes;
    return {
      ...this.#facts,
      ...counts,
      notReached,
      success: this.success.rate(),
      utility: this.utility.rate(),
    };
  }
}

const mostReasons = 5;

class TableCounts {
  readonly #variant: string;
  readonly #suites = new Map<string, number>();
  readonly #cells = new Map<string, CellCounts>();
  readonly #plain: CaseTallies;
  readonly #templateOf: TemplateOf | undefined;
  readonly #unknownReasons = new Set<string>();

  constructor(variant: string, templateOf: TemplateOf | undefined) {
    this.#variant = variant;
    this.#templateOf = templateOf;
    this.#plain = new CaseTallies(templateOf);
  }

  add(trial: Trial): void {
    const { outcome, attack, variant } = trial;
    if (!attack) {
      const isJudged = outcome === 'pass' || outcome === 'fail';
      if (variant.attack === noAttack && isJudged) this.#plain.add(trial, outcome === 'pass');
      return;
    }
    if (attack.outcome === 'unknown' && this.#unknownReasons.size < mostReasons)
      this.#unknownReasons.add(attack.reason);
    this.#suites.set(attack.suite, attack.version);
    const key = JSON.stringify([attack.name, attack.place]);
    const cell = this.#cells.get(key) ?? new CellCounts(attack, this.#templateOf);
    this.#cells.set(key, cell);
    cell.add(trial, attack);
  }

  table(): AttackTable {
    const counts = [...this.#cells.values()];
    const cells = counts.map((cell) => cell.cell());
    const total = (part: keyof AttackCounts): number => cells.reduce((sum, cell) => sum + cell[part], 0);
    return {
      variant: this.#variant,
      suites: [...this.#suites].map(([suite, version]) => ({ suite, version })),
      utility: this.#plain.rate(),
      utilityUnderAttack: rateOfCases(counts.flatMap(({ utility }) => utility.cases())),
      success: rateOfCases(counts.flatMap(({ success }) => success.cases())),
      succeeded: total('succeeded'),
      blocked: total('blocked'),
      resisted: total('resisted'),
      notReached: total('notReached'),
      unknown: total('unknown'),
      unknownReasons: [...this.#unknownReasons],
      cells,
    };
  }
}

/** The attacks of a run, one table for each variant; reused trials are not evidence. */
export async function attackTables(trials: AsyncIterable<Trial>, templateOf?: TemplateOf): Promise<AttackTable[]> {
  const tables = new Map<string, TableCounts>();
  for await (const trial of trials) {
    const { attack, ...others } = trial.variant;
    if (attack === undefined || isReused(trial)) continue;
    const variant = variantText(others);
    const table = tables.get(variant) ?? new TableCounts(variant, templateOf);
    tables.set(variant, table);
    table.add(trial);
  }
  return [...tables.values()].map((table) => table.table());
}
