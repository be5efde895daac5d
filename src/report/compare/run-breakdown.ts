import { distanceOf, isReused, marksOf } from '../../domain/marks.ts';
import type { ToolHealthEntry } from '../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import { caseKeyOf } from './case-key.ts';
import { CaseTallies, type TemplateOf } from './case-rates.ts';
import type { FigureUnit } from './comparison.ts';
import { definitionOf } from './figures.ts';
import { checksOf, figuresOf } from './trial-figures.ts';

/** How often an assertion, gate, criterion or test held in the judged trials of a run. */
export interface AssertionRate {
  readonly name: string;
  /** By case, as the pass rate of the run. */
  readonly rate: PassRate;
  /** Results that are neither a pass nor a fail. */
  readonly unjudged: number;
}

/** A figure of the judged trials of a run. */
export interface MetricMean {
  readonly name: string;
  readonly unit: FigureUnit;
  /** Of the means of the cases, as in comparisons; null where nothing was observed. */
  readonly mean: number | null;
  readonly lowest: number | null;
  readonly highest: number | null;
  readonly trials: number;
  /** Trials in which it was wanted and not observed. */
  readonly missing: number;
}

/** A test of an MCP server over all trials. */
export interface ToolHealthRate {
  readonly scenario: string;
  readonly test: string;
  readonly tool: string;
  readonly passed: number;
  readonly failed: number;
  readonly unjudged: number;
  /** Null where no call was made. */
  readonly meanMs: number | null;
  /** Of the first that did not pass. */
  readonly problem: string | null;
}

interface Values {
  sum: number;
  count: number;
}

interface MetricTally {
  readonly cases: Map<string, Values>;
  lowest: number;
  highest: number;
  trials: number;
  missing: number;
}

interface AssertionTally {
  readonly cases: CaseTallies;
  unjudged: number;
}

interface HealthTally extends Omit<ToolHealthRate, 'meanMs'> {
  readonly sumMs: number;
  readonly measured: number;
}

/**
 * Rates of assertions, means of metrics and tests of servers over the trials of a run that are nearest to the real thing;
 * reused ones are not evidence.
 */
export class RunBreakdown {
  readonly #assertions = new Map<string, AssertionTally>();
  readonly #metrics = new Map<string, MetricTally>();
  readonly #health = new Map<string, HealthTally>();
  readonly #templateOf: TemplateOf | undefined;
  #distance = Number.POSITIVE_INFINITY;

  constructor(templateOf?: TemplateOf) {
    this.#templateOf = templateOf;
  }

  add(record: TrialRecord): void {
    if (isReused(record) || !this.#isNearest(distanceOf(marksOf(record)))) return;
    for (const entry of record.toolHealth) this.#addHealth(record.scenario, entry);
    for (const { type, kind, state } of record.evaluatorResults) {
      const isJudged = state === 'pass' || state === 'fail';
      if (kind === 'assertion' && !isJudged) this.#assertionOf(type).unjudged++;
    }
    if (record.outcome !== 'pass' && record.outcome !== 'fail') return;
    const caseKey = caseKeyOf(record);
    for (const { name, passed } of checksOf(record)) this.#assertionOf(name).cases.add(record, passed);
    for (const [name, value] of figuresOf(record)) if (name !== 'pass-rate') this.#addFigure(name, caseKey, value);
  }

  /** A trial that is nearer to the real thing than those before takes their place. */
  #isNearest(distance: number): boolean {
    if (distance < this.#distance)
      for (const tallies of [this.#assertions, this.#metrics, this.#health]) tallies.clear();
    this.#distance = Math.min(this.#distance, distance);
    return distance === this.#distance;
  }

  /** Those that hold least often first; those that were never judged last. */
  assertions(): AssertionRate[] {
    const rates = [...this.#assertions].map(([name, { cases, unjudged }]) => ({
      name,
      rate: cases.rate(),
      unjudged,
    }));
    return rates.sort((a, b) => (a.rate.rate ?? 2) - (b.rate.rate ?? 2));
  }

  metrics(): MetricMean[] {
    return [...this.#metrics].map(([name, { cases, lowest, highest, trials, missing }]) => {
      const means = [...cases.values()].map(({ sum, count }) => sum / count);
      const isKnown = means.length > 0;
      return {
        name,
        unit: definitionOf(name).unit,
        mean: isKnown ? means.reduce((total, value) => total + value, 0) / means.length : null,
        lowest: isKnown ? lowest : null,
        highest: isKnown ? highest : null,
        trials,
        missing,
      };
    });
  }

  /** Tests that did not always pass first. */
  toolHealth(): ToolHealthRate[] {
    const wrongOf = ({ failed, unjudged }: ToolHealthRate): number => Number(failed > 0) * 2 + Number(unjudged > 0);
    const rates = [...this.#health.values()].map(({ sumMs, measured, ...rate }) => ({
      ...rate,
      meanMs: measured === 0 ? null : sumMs / measured,
    }));
    return rates.sort((a, b) => wrongOf(b) - wrongOf(a));
  }

  #assertionOf(name: string): AssertionTally {
    const existing = this.#assertions.get(name);
    if (existing) return existing;
    const tally = { cases: new CaseTallies(this.#templateOf), unjudged: 0 };
    this.#assertions.set(name, tally);
    return tally;
  }

  #addFigure(name: string, caseKey: string, value: number | null): void {
    const metric = this.#metrics.get(name) ?? {
      ...{ cases: new Map(), lowest: Number.POSITIVE_INFINITY, highest: Number.NEGATIVE_INFINITY },
      ...{ trials: 0, missing: 0 },
    };
    this.#metrics.set(name, metric);
    if (value === null || !Number.isFinite(value)) {
      metric.missing++;
      return;
    }
    const ofCase = metric.cases.get(caseKey) ?? { sum: 0, count: 0 };
    metric.cases.set(caseKey, { sum: ofCase.sum + value, count: ofCase.count + 1 });
    metric.lowest = Math.min(metric.lowest, value);
    metric.highest = Math.max(metric.highest, value);
    metric.trials++;
  }

  #addHealth(scenario: string, { testName, toolName, state, latency, details, error }: ToolHealthEntry): void {
    const key = JSON.stringify([scenario, testName, toolName]);
    const none = { passed: 0, failed: 0, unjudged: 0, sumMs: 0, measured: 0, problem: null };
    const before = this.#health.get(key) ?? { scenario, test: testName, tool: toolName, ...none };
    this.#health.set(key, {
      ...before,
      passed: before.passed + Number(state === 'pass'),
      failed: before.failed + Number(state === 'fail'),
      unjudged: before.unjudged + Number(state === 'error'),
      sumMs: before.sumMs + (latency ?? 0),
      measured: before.measured + Number(latency !== null),
      problem: before.problem ?? (state === 'pass' ? null : (error ?? details)),
    });
  }
}
