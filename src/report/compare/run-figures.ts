import type { JudgeShare } from '../../domain/judge-share.ts';
import type { Mark } from '../../domain/marks.ts';
import type { CaseCounts, RunHeader, RunSummary } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import { variantText } from '../../domain/variant-text.ts';
import { canonicalJson } from '../../shared/json.ts';
import { NumberColumn } from '../../shared/number-column.ts';
import { countRows, filteredRows, heldRows, madeRows, mappedRows, type Rows } from '../../shared/rows.ts';
import { type Interval, type PassRate, passRateOfSingles, type UnitKey, wilson } from '../../shared/stats/pass-rate.ts';
import { flakiness, type PassOfK, passAtEveryK, passHatEveryK } from '../../shared/stats/repeated-passes.ts';
import { caseKeyOf } from './case-key.ts';
import { type CountedCase, rateOfCases, type TemplateOf, templatesOf } from './case-rates.ts';
import { evidenceOf, freshCounts, marksOfEvidence } from './evidence.ts';
import type { ResilienceTable } from './resilience.ts';
import { sampleUnits } from './sample-units.ts';

/** A case under one variant that was tried several times. */
export interface RepeatedCase {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly passed: number;
  readonly judged: number;
  /** Could not be judged, or did not run; not among the judged. */
  readonly unjudged: number;
  /** Of the pass rate of this case, 95 % (Wilson). */
  readonly interval: Interval;
  /** The share of judged trials that disagree with the majority. */
  readonly flakiness: number;
}

/** Figures of cases that were tried several times. */
export interface RepeatFigures {
  readonly cases: number;
  /** Cases that passed in some trials and failed in others under the same variant. */
  readonly flaky: number;
  readonly variants: number;
  /** Cases under a variant that did not always pass, the flakiest first. */
  readonly unsteady: readonly RepeatedCase[];
  /** Each variant by itself: a case under two variants was not tried twice as often. */
  readonly passOfK: readonly VariantPassOfK[];
}

/** How far the trials of one variant can be relied on. */
interface VariantPassOfK {
  readonly variant: Variant;
  /** The chance that at least one of k trials passes, for every k; empty where a case was never judged. */
  readonly passAtK: readonly PassOfK[];
  /** The chance that all of k trials pass, for every k; empty where a case was never judged. */
  readonly passHatK: readonly PassOfK[];
}

/** The rate of a scenario, of a variant (as text), or of one under the other; null stands for all of them. */
export interface PlacedRate extends PassRate {
  readonly scenario: string | null;
  readonly variant: string | null;
}

/** Every figure of a run as a whole. Reports, pages and the API only format these. */
export interface RunFigures
  extends Pick<
    RunSummary,
    'totals' | 'notJudged' | 'marks' | 'timedOut' | 'durationMs' | 'costUsd' | 'cost' | 'usage'
  > {
  /** Over judged trials of this run that are nearest to the real thing: errors, skipped and reused ones are not among them. */
  readonly passRate: PassRate;
  /** Marks of the trials of the pass rate; empty where they met the real thing. */
  readonly ratedMarks: readonly Mark[];
  /** Cases with a judged trial, and those of them in which every judged trial passed. */
  readonly cases: { readonly judged: number; readonly passed: number };
  /** Null where nothing was planned to be repeated. */
  readonly repeats: RepeatFigures | null;
  /** How agents cope with named sets of faults; null where a run has none. */
  readonly resilience: readonly ResilienceTable[] | null;
  /** Spending of judges, a part of the cost and the tokens; absent where none was prompted, or where it was not read. */
  readonly judge?: JudgeShare | undefined;
}

/** All figures of a run, from how its trials ended in each case. */
export function runFigures(
  summary: RunSummary,
  given: Rows<CaseCounts>,
  resilience: RunFigures['resilience'] = null,
): RunFigures {
  const { run } = summary;
  const counts = heldRows(given);
  const templateOf = templatesOf(run);
  const countedOf = (rows: Rows<CaseCounts>) => heldRows(mappedRows(rows, (one) => countedCase(one, templateOf)));
  const cases = countedOf(evidenceOf(counts));
  const isRepeated = run.scenarios.some(({ repeat }) => repeat > 1);
  return {
    ...totalFigures(summary),
    passRate: rateOfCases(cases),
    ratedMarks: marksOfEvidence(counts),
    cases: caseTotals(cases),
    repeats: isRepeated && counts.length > 0 ? repeatFigures(countedOf(freshCounts(counts))) : null,
    resilience,
  };
}

/**
 * The same without counts by case, where each case has one trial and no faults; undefined where one may have several
 * trials, or has a mark.
 */
export function figuresOfSingles(summary: RunSummary): RunFigures | undefined {
  const { run, totals, marks } = summary;
  const caseCount = run.scenarios.reduce((sum, scenario) => sum + scenario.caseCount, 0);
  const isSingle = run.scenarios.every(({ repeat }) => repeat === 1) && totals.planned === caseCount;
  // Where several scenarios have their own cases, they may be the sample, and the counts by case say so.
  const isPlainSample = run.scenarios.length === 1 || run.scenarios.every((scenario) => scenario.caseCount === 1);
  const isClustered = run.scenarios.some(({ identity }) => identity?.clusters);
  if (!isSingle || !isPlainSample || isClustered || run.request.only || Object.keys(marks).length > 0) return undefined;
  const { pass, fail } = totals;
  return {
    ...totalFigures(summary),
    passRate: passRateOfSingles(pass, fail),
    ratedMarks: [],
    cases: { judged: pass + fail, passed: pass },
    repeats: null,
    resilience: null,
  };
}

/** The rates of tables of scenarios and variants, by the units of the cases of each. */
export function placedRates(run: RunHeader, given: Rows<CaseCounts>): PlacedRate[] {
  const counts = heldRows(given);
  const templateOf = templatesOf(run);
  const places = new Map<string, { scenario: string | null; variant: string | null; rows: RowNumbers }>();
  let row = -1;
  for (const one of counts) {
    row++;
    const name = variantText(one.variant);
    for (const [scenario, variant] of [
      [one.scenario, null],
      [null, name],
      [one.scenario, name],
    ] as const) {
      const key = JSON.stringify([scenario, variant]);
      const place = places.get(key) ?? { scenario, variant, rows: new RowNumbers() };
      place.rows.add(row);
      places.set(key, place);
    }
  }
  return [...places.values()].map(({ scenario, variant, rows }) => ({
    ...{ scenario, variant },
    ...rateOfCases(mappedRows(evidenceOf(rows.of(counts)), (one) => countedCase(one, templateOf))),
  }));
}

/** Some rows of a table. */
class RowNumbers {
  readonly #rows = new NumberColumn();
  #length = 0;

  add(row: number): void {
    this.#rows.set(this.#length++, row);
  }

  of<Item>(rows: Rows<Item>): Rows<Item> {
    return madeRows(this.#length, (index) => rows.at(this.#rows.at(index)) as Item);
  }
}

/** The same of scenarios that have one trial of each case, of which the store counts the endings. */
export function placedRatesOfSingles(counts: readonly Pick<CaseCounts, 'scenario' | 'pass' | 'fail'>[]): PlacedRate[] {
  const totals = new Map<string, { pass: number; fail: number }>();
  for (const { scenario, pass, fail } of counts) {
    const before = totals.get(scenario);
    totals.set(scenario, { pass: pass + (before?.pass ?? 0), fail: fail + (before?.fail ?? 0) });
  }
  const rates = [...totals].map(([scenario, { pass, fail }]) => ({ scenario, ...passRateOfSingles(pass, fail) }));
  return rates.map((rate) => ({ ...rate, variant: null }));
}

function totalFigures({ totals, notJudged, marks, timedOut, durationMs, costUsd, cost, usage }: RunSummary) {
  const rare = timedOut === undefined ? {} : { timedOut };
  return { totals, notJudged, marks, ...rare, durationMs, costUsd, cost, usage };
}

function caseTotals(cases: Iterable<CountedCase>): RunFigures['cases'] {
  const hasFailed = new Map<UnitKey, boolean>();
  for (const one of cases) {
    const { passed, failed, caseKey = caseKeyOf(one) } = one;
    if (passed + failed > 0) hasFailed.set(caseKey, (hasFailed.get(caseKey) ?? false) || failed > 0);
  }
  return { judged: hasFailed.size, passed: countRows(hasFailed.values(), (failed) => !failed) };
}

/** Counts of a case as rates take them, with the template of its scenario. */
type TemplatedCounts = CaseCounts & CountedCase;

function countedCase(one: CaseCounts, templateOf: TemplateOf): TemplatedCounts {
  return { ...one, template: templateOf(one.scenario), passed: one.pass, failed: one.fail };
}

function repeatFigures(counts: Rows<TemplatedCounts>): RepeatFigures {
  const { unitOf } = sampleUnits(counts);
  const triesOf = (one: TemplatedCounts) => ({
    caseKey: one.caseKey ?? caseKeyOf(one),
    unit: unitOf(one),
    passed: one.pass,
    tried: one.pass + one.fail,
  });
  const tries = heldRows(mappedRows(counts, triesOf));
  const byVariant = rowsByVariant(counts);
  const unsteady = Array.from(
    filteredRows(counts, ({ fail }) => fail > 0),
    repeatedCase,
  );
  const flaky = filteredRows(tries, ({ passed, tried }) => passed > 0 && passed < tried);
  return {
    cases: casesIn(tries),
    flaky: casesIn(flaky),
    variants: byVariant.length,
    unsteady: unsteady.sort((a, b) => b.flakiness - a.flakiness),
    passOfK: byVariant.map((own) => {
      const ofVariant = heldRows(mappedRows(own, triesOf));
      const variant = own.at(0)?.variant ?? {};
      return { variant, passAtK: passAtEveryK(ofVariant), passHatK: passHatEveryK(ofVariant) };
    }),
  };
}

/** In the order of the first case of each. */
function rowsByVariant(counts: Rows<TemplatedCounts>): Rows<TemplatedCounts>[] {
  const byVariant = new Map<string, RowNumbers>();
  let row = 0;
  for (const { variant } of counts) {
    const key = canonicalJson(variant);
    const rows = byVariant.get(key) ?? new RowNumbers();
    byVariant.set(key, rows);
    rows.add(row++);
  }
  return [...byVariant.values()].map((rows) => rows.of(counts));
}

function casesIn(tries: Iterable<{ readonly caseKey: UnitKey }>): number {
  const keys = new Set<UnitKey>();
  for (const { caseKey } of tries) keys.add(caseKey);
  return keys.size;
}

function repeatedCase({ scenario, caseId, variant, pass, fail, unjudged }: CaseCounts): RepeatedCase {
  const judged = pass + fail;
  const interval = wilson(pass, judged);
  return {
    scenario,
    caseId,
    variant,
    passed: pass,
    judged,
    unjudged,
    interval,
    flakiness: flakiness({ tried: judged, passed: pass }),
  };
}
