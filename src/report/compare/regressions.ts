import { counted } from '../../shared/format.ts';
import { filteredRows, type Rows, someRow, sumOfRows } from '../../shared/rows.ts';
import { brokeBeyondChance } from '../../shared/stats/chance-rule.ts';
import type { CasePair, CheckTally, CollectedCase, CollectedSide } from './collected-side.ts';
import { type CompareOptions, compareCollected } from './compare-sides.ts';
import type { ComparisonOfRows, MetricComparison, Question } from './comparison.ts';
import { type CostResult, checkCostLimits, costLimitsOf, riseBeyond, unknownCost } from './cost-limits.ts';
import { countingIn, isAnyCapability, onlyCounting } from './counting-cases.ts';
import { type FailingCase, failingCases, talliesText } from './failing-cases.ts';
import { answerTo, figureSentence, onTheseTasksText, valuesText } from './figure-words.ts';
import { pairCases } from './pair-cases.ts';
import { type RegressionWarning, regressionWarnings } from './regression-warnings.ts';
import type { SideNames } from './side-names.ts';

/** Something that was better in the baseline. */
export interface Regression {
  /**
   * `case`: a case passes less often than chance explains; `check`: something that held does not; `drop`: a figure fell;
   * `cost`: a case, a scenario or the run costs more than it may.
   */
  readonly rule: 'case' | 'check' | 'drop' | 'cost';
  readonly message: string;
  readonly scenario?: string;
  readonly caseId?: string;
  readonly trialId?: string;
}

/** The result of checking a run against a baseline. */
export interface BaselineCheck {
  readonly schema: 'assay.baseline-check/1';
  /** `cannot-tell`: the two are not comparable, no case was judged in both, or nothing got worse in a part of the trials. */
  readonly outcome: 'pass' | 'fail' | 'cannot-tell';
  readonly reason: string;
  readonly regressions: readonly Regression[];
  /** Suspected regressions that chance explains with so few trials; they do not fail the check. */
  readonly possible: readonly Regression[];
  /** Means that changed much, whether or not chance explains it; they do not fail the check. */
  readonly warnings: readonly RegressionWarning[];
  /** Cases of the baseline that the run does not have, or in which nothing could be judged. */
  readonly missing: readonly string[];
  /** Cases of which trials failed now: which of them are broken, and which are flaky. */
  readonly failing: readonly FailingCase[];
  /** The same for cases that do not count: quarantined ones, and those of the role `capability`. */
  readonly failingUncounted: readonly FailingCase[];
  /** Results of `maxCostRise` in the files. */
  readonly costLimits: readonly CostResult[];
  readonly comparison: ComparisonOfRows;
}

export interface RegressionRules extends CompareOptions {
  /** The share by which the mean cost of a case may rise; no limit where it is left out. */
  readonly maxCostRise?: number | undefined;
  /** Which question decides about figures; `these-tasks` by default. */
  readonly question?: Question | undefined;
  /** For tools that always do the same: a check that broke counts, however few trials show it. */
  readonly anyBreak?: boolean | undefined;
}

const sideNames: SideNames = { a: 'the baseline', b: 'this run' };

/** Compares the cases that count; those that do not are only described. */
export function checkRegressions(baseline: CollectedSide, run: CollectedSide, rules: RegressionRules): BaselineCheck {
  const options = { ...rules, names: sideNames };
  const counts = countingIn(run.run);
  const [before, now] = [onlyCounting(baseline, counts), onlyCounting(run, counts)];
  const isAllUncounted = now.cases.length === 0 && run.cases.length > 0;
  const comparison = isAllUncounted ? compareCollected(baseline, run, options) : compareCollected(before, now, options);
  const base = { schema: 'assay.baseline-check/1', comparison } as const;
  if (comparison.answer === 'not-comparable') {
    const nothing = { regressions: [], possible: [], warnings: [], missing: [] };
    const noCases = { failing: [], failingUncounted: [], costLimits: [] };
    return { ...base, outcome: 'cannot-tell', reason: comparison.summary, ...nothing, ...noCases };
  }
  const all = pairCases(baseline, run).pairs;
  const pairs = filteredRows(all, counts);
  const failing = failingCases(pairs);
  const costLimits = checkCostLimits(costLimitsOf(run.run), pairs);
  const described = {
    warnings: isAllUncounted ? [] : regressionWarnings(comparison),
    missing: [...missingCases(pairs)],
    failing,
    failingUncounted: failingCases(filteredRows(all, (pair) => !counts(pair))),
    costLimits,
  };
  if (isAllUncounted) return { ...base, ...uncountedResult(run), ...described };
  const costUnknown = rules.maxCostRise === undefined ? undefined : unknownCost(pairs);
  const found = [
    ...withBrokenCases(brokenChecks(pairs), failing),
    ...drops(comparison, rules.question ?? 'these-tasks'),
    ...(costUnknown === undefined ? costRise(comparison, rules.maxCostRise) : []),
    ...costLimits.flatMap(limitedCost),
  ];
  const { regressions, possible } = byCertainty(found, rules.anyBreak === true);
  if (regressions.length > 0) {
    const reason = `${counted(regressions.length, 'regression')} against the baseline ${baseline.label}`;
    return { ...base, outcome: 'fail', reason, regressions, possible, ...described };
  }
  const unknown =
    comparison.answer === 'nothing-to-compare'
      ? comparison.summary
      : (costUnknown ?? unknownLimits(costLimits) ?? unjudgedPart(baseline, now));
  const outcome = unknown === undefined ? 'pass' : 'cannot-tell';
  const reason = unknown ?? `No regression against the baseline ${baseline.label}${possibleText(possible.length)}`;
  return { ...base, outcome, reason, regressions, possible, ...described };
}

/** A case that lacks a trial may have got worse in it, so a check without a regression says nothing about it. */
function unjudgedPart(baseline: CollectedSide, now: CollectedSide): string | undefined {
  for (const [what, { absent = 0, run }] of [['the run', now] as const, ['the baseline', baseline] as const]) {
    if (absent > 0)
      return `Nothing got worse in the trials that were judged, but ${absent} of ${counted(run.planned, 'planned trial')} of ${what} have no record`;
  }
  const unjudged = sumOfRows(now.cases, (one) => one.unjudged);
  if (unjudged === 0) return undefined;
  return `Nothing got worse in the trials that were judged, but ${counted(unjudged, 'trial')} of the run could not be judged`;
}

/** A limit that cannot be checked has not been kept. */
function unknownLimits(limits: readonly CostResult[]): string | undefined {
  const unknown = limits.filter(({ state }) => state === 'unknown');
  if (unknown.length === 0) return undefined;
  return `${counted(unknown.length, 'cost limit')} could not be checked: the cost of some trials is not known`;
}

/** Where every case is quarantined, nothing is known; a run of capabilities alone cannot fail. */
function uncountedResult({
  run,
  cases,
}: CollectedSide): Pick<BaselineCheck, 'outcome' | 'reason' | 'regressions' | 'possible'> {
  const isCapability = isAnyCapability(run, cases);
  const reason = isCapability
    ? 'No case counts: all have the role capability or are quarantined'
    : 'No case counts: all are quarantined';
  return { outcome: isCapability ? 'pass' : 'cannot-tell', reason, regressions: [], possible: [] };
}

function byCertainty(found: readonly Suspect[], anyBreak: boolean): Pick<BaselineCheck, 'regressions' | 'possible'> {
  const regressions: Regression[] = [];
  const possible: Regression[] = [];
  for (const { isBeyondChance, ...regression } of found) {
    const counts = isBeyondChance || (anyBreak && regression.rule === 'check');
    (counts ? regressions : possible).push(regression);
  }
  return { regressions, possible };
}

/** A broken case is one regression, unless its checks say already what broke. */
function withBrokenCases(checks: readonly Suspect[], failing: readonly FailingCase[]): Suspect[] {
  const broken = failing.filter(({ kind }) => kind === 'broken');
  const isSame = (check: Suspect, { scenario, caseId }: FailingCase): boolean =>
    check.scenario === scenario && check.caseId === caseId;
  const unexplained = broken.filter((one) => !checks.some((check) => check.isBeyondChance && isSame(check, one)));
  const kept = checks.filter((check) => check.isBeyondChance || !unexplained.some((one) => isSame(check, one)));
  const unclear = failing.filter(
    (one) => one.kind === 'unclear' && one.now.failed >= one.now.passed && !checks.some((check) => isSame(check, one)),
  );
  return [...unexplained.map(suspectCase), ...kept, ...unclear.map(suspectCase)];
}

function suspectCase(one: FailingCase): Suspect {
  const { scenario, caseId, trialId, kind } = one;
  const trial = trialId === undefined ? {} : { trialId };
  const isBeyondChance = kind === 'broken';
  const message = `${isBeyondChance ? 'broken' : 'passes less often'}: ${talliesText(one)}`;
  return { rule: 'case', message, scenario, caseId, ...trial, isBeyondChance };
}

function limitedCost({ state, message, scenario, caseId }: CostResult): Suspect[] {
  if (state !== 'exceeded' && state !== 'unclear') return [];
  const place = caseId === undefined ? { message: `${scenario}: ${message}` } : { message, scenario, caseId };
  return [{ rule: 'cost', ...place, isBeyondChance: state === 'exceeded' }];
}

type Suspect = Regression & { readonly isBeyondChance: boolean };

function possibleText(count: number): string {
  if (count === 0) return '';
  const verb = count === 1 ? 'is' : 'are';
  return `; ${counted(count, 'possible one')} ${verb} within chance with so few trials: repeat to find out`;
}

/**
 * Checks that held in every trial before and fail in at least half of the trials now. Among many checks some break by
 * chance: one counts where an unchanged case, whatever its pass rate, would hardly ever break any of them.
 */
function brokenChecks(pairs: Rows<CasePair>): Suspect[] {
  const looks = sumOfRows(pairs, ({ a, b }) => (a && b ? heldChecks(a).length : 0));
  const changed = filteredRows(
    pairs,
    ({ a, b }) => a !== undefined && someRow(b?.checks ?? [], ([, { failed }]) => failed > 0),
  );
  return [...changed].flatMap(({ scenario, caseId, a, b }) => {
    if (!a || !b) return [];
    return heldChecks(a).flatMap(([name, then]): Suspect[] => {
      const now = b.checks.get(name);
      if (!now || now.failed === 0 || now.failed < now.passed) return [];
      const counts = `passed ${then.passed} of ${then.passed} before, ${now.passed} of ${now.passed + now.failed} now`;
      const example = b.failure ? { trialId: b.failure.trialId } : {};
      const observed = { heldBefore: then.passed, heldNow: now.passed, failedNow: now.failed };
      const isBeyondChance = brokeBeyondChance(observed, looks);
      return [{ rule: 'check', message: `${name} broke: ${counts}`, scenario, caseId, ...example, isBeyondChance }];
    });
  });
}

function heldChecks({ checks }: CollectedCase): (readonly [string, CheckTally])[] {
  return [...checks].filter(([, { passed, failed }]) => failed === 0 && passed > 0);
}

function drops({ metrics }: ComparisonOfRows, question: Question): Suspect[] {
  const sentence = (metric: MetricComparison): string =>
    question === 'these-tasks' ? `${valuesText(metric)}, ${onTheseTasksText(metric)}` : figureSentence(metric);
  // Cases that broke are regressions by themselves.
  const isByCases = ({ onTheseTasks }: MetricComparison): boolean =>
    question === 'these-tasks' && onTheseTasks.decidedBy !== undefined;
  const hasDropped = (metric: MetricComparison): boolean =>
    metric.isHigherBetter === true && answerTo(metric, question) === 'worse' && !isByCases(metric);
  return metrics
    .filter(hasDropped)
    .map((metric) => ({ rule: 'drop', message: `drop: ${sentence(metric)}`, isBeyondChance: true }));
}

function costRise({ metrics }: ComparisonOfRows, limit: number | undefined): Suspect[] {
  const cost = metrics.find(({ name }) => name === 'cost-usd');
  const rise = limit === undefined || !cost ? undefined : riseBeyond(cost, limit);
  return rise ? [{ rule: 'cost', ...rise }] : [];
}

function* missingCases(pairs: Rows<CasePair>): Generator<string, void> {
  for (const { scenario, caseId, a, b } of pairs) {
    if (!a || a.passed + a.failed === 0) continue;
    if (!b) yield `${scenario} › ${caseId}: not in this run`;
    else if (b.passed + b.failed === 0) yield `${scenario} › ${caseId}: could not be judged in this run`;
  }
}
