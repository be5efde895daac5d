import type { RunHeader } from '../../domain/run.ts';
import { isLiveStatus } from '../../domain/run.ts';
import type { Store, TrialRow } from '../../keep/store/store.ts';
import { type FigureDrift, findDrift, type PeriodValues } from '../../report/compare/drift.ts';
import type { DriftConfig, RuleConfig } from '../config/rules-config.ts';

/** Whether the figures of a rule drifted, by the runs that are in the store. */
export interface RuleDrift {
  readonly rule: string;
  readonly state: FigureDrift['state'];
  readonly figures: readonly FigureDrift[];
  /** Null while the reference is not complete. */
  readonly reference: { readonly firstRun: string; readonly periods: number } | null;
  readonly latestRun: { readonly runId: string; readonly name: string | null } | null;
  /** Periods after the reference: each is looked at once. */
  readonly looks: number;
}

interface Period {
  readonly period: string;
  readonly runs: RunHeader[];
}

const mostRuns = 5_000;

/** Looks at the runs of rules; values of runs that are over are read once. */
export class DriftWatch {
  readonly #store: Store;
  readonly #values = new Map<string, UnitValues>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The rules that watch for drift, by the periods that are over. */
  async look(rules: Readonly<Record<string, RuleConfig>>, now: number): Promise<RuleDrift[]> {
    const found: RuleDrift[] = [];
    for (const [name, { drift, runs }] of Object.entries(rules)) {
      if (drift) found.push(await this.#lookAt(name, drift, runs, now));
    }
    return found;
  }

  async #lookAt(rule: string, drift: DriftConfig, every: 'hour' | 'day', now: number): Promise<RuleDrift> {
    const current = new Date(now).toISOString().slice(0, every === 'day' ? 10 : 13);
    const runs = await this.#runsOf(rule, drift.since === undefined ? undefined : Date.parse(drift.since));
    const over = periodsOf(runs).filter(({ period }) => period < current);
    const reference = new UnitValues();
    let used = 0;
    while (used < over.length && reference.judged < drift.referenceTraces) {
      reference.add(await this.#valuesOf(over[used++] as Period));
    }
    const isComplete = reference.judged >= drift.referenceTraces;
    const periods: PeriodValues[] = [];
    for (const period of isComplete ? over.slice(used) : []) periods.push((await this.#valuesOf(period)).means());
    const figures = findDrift({
      figures: drift.figures,
      errorRate: drift.errorRate,
      reference: isComplete ? reference.means() : {},
      periods,
    });
    const latest = runs.at(-1);
    return {
      rule,
      state: stateOf(figures),
      figures,
      reference: isComplete ? { firstRun: over[0]?.runs[0]?.runId ?? '', periods: used } : null,
      latestRun: latest ? { runId: latest.runId, name: latest.request.name ?? null } : null,
      looks: periods.length,
    };
  }

  /** The runs of a rule as it is now, the oldest first: verdicts of other evaluators or judges cannot be compared. */
  async #runsOf(rule: string, since: number | undefined): Promise<RunHeader[]> {
    const runs: RunHeader[] = [];
    for (let cursor: string | undefined, isEnd = false; !isEnd && runs.length < mostRuns; ) {
      const page = await this.#store.readRunRows({ limit: 200, cursor, since });
      for (const { run } of page.items) {
        if (run.request.origin?.kind !== 'rule' || run.request.origin.rule !== rule) continue;
        if (runs[0] && contentOf(runs[0]) !== contentOf(run)) return runs.reverse();
        runs.push(run);
      }
      cursor = page.next ?? undefined;
      isEnd = page.next === null;
    }
    return runs.reverse();
  }

  async #valuesOf({ runs }: Period): Promise<UnitValues> {
    const key = runs.map(({ runId, planned }) => `${runId} ${planned}`).join();
    const kept = this.#values.get(key);
    if (kept) return kept;
    const values = new UnitValues();
    for (const { runId } of runs) {
      for (let cursor: string | undefined, isEnd = false; !isEnd; ) {
        const page = await this.#store.readTrialRows(runId, { limit: 500, cursor });
        for (const row of page.items) values.addTrial(row);
        cursor = page.next ?? undefined;
        isEnd = page.next === null;
      }
    }
    if (runs.every(({ status }) => !isLiveStatus(status))) this.#values.set(key, values);
    return values;
  }
}

function contentOf({ scenarios }: RunHeader): string {
  return scenarios.map(({ contentHash }) => contentHash).join();
}

function periodsOf(runs: readonly RunHeader[]): Period[] {
  const periods: Period[] = [];
  for (const run of runs) {
    const period = run.request.origin?.kind === 'rule' ? run.request.origin.period : '';
    const last = periods.at(-1);
    if (last?.period === period) last.runs.push(run);
    else periods.push({ period, runs: [run] });
  }
  return periods;
}

function stateOf(figures: readonly FigureDrift[]): FigureDrift['state'] {
  if (figures.some(({ state }) => state === 'drift')) return 'drift';
  return figures.some(({ state }) => state === 'not-enough-data') ? 'not-enough-data' : 'no-drift';
}

type Figure = FigureDrift['figure'];

/** Values by session: the traces of one session count as one unit, with their mean. */
class UnitValues {
  readonly #units: Record<Figure, Map<string, { sum: number; count: number }>> = {
    'pass-rate': new Map(),
    errors: new Map(),
    duration: new Map(),
  };
  #judged = 0;

  /** Traces with a verdict. */
  get judged(): number {
    return this.#judged;
  }

  addTrial({ runId, caseId, outcome, faultCode, durationMs }: TrialRow): void {
    // A budget that is used up says nothing about the traces.
    if (outcome === 'skipped' || faultCode === 'MODEL_BUDGET_REACHED') return;
    const unit = `${runId} ${caseId.replace(/\/[0-9a-f]{8}$/, '')}`;
    this.#count('errors', unit, outcome === 'error' ? 1 : 0);
    if (durationMs !== null) this.#count('duration', unit, durationMs);
    if (outcome === 'error') return;
    this.#judged++;
    this.#count('pass-rate', unit, outcome === 'pass' ? 1 : 0);
  }

  add(other: UnitValues): void {
    this.#judged += other.#judged;
    for (const figure of Object.keys(this.#units) as Figure[]) {
      for (const [unit, { sum, count }] of other.#units[figure]) this.#count(figure, unit, sum, count);
    }
  }

  means(): PeriodValues {
    const meansOf = (figure: Figure): number[] =>
      [...this.#units[figure].values()].map(({ sum, count }) => sum / count);
    return { 'pass-rate': meansOf('pass-rate'), errors: meansOf('errors'), duration: meansOf('duration') };
  }

  #count(figure: Figure, unit: string, sum: number, count = 1): void {
    const units = this.#units[figure];
    const kept = units.get(unit) ?? { sum: 0, count: 0 };
    units.set(unit, { sum: kept.sum + sum, count: kept.count + count });
  }
}
