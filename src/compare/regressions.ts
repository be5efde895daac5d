import { counted } from '../shared/numbers.ts';
import type { CollectedSide } from './collected-side.ts';
import { type CompareOptions, compareCollected } from './compare-sides.ts';
import type { Comparison } from './comparison.ts';
import { figureSentence, figureText } from './figure-words.ts';
import { type CasePair, pairCases } from './pair-cases.ts';

/** Something that was better in the baseline. */
export interface Regression {
  /** `check`: something that held does not; `drop`: a figure fell; `cost`: a case costs more than it may. */
  readonly rule: 'check' | 'drop' | 'cost';
  readonly message: string;
  readonly scenario?: string;
  readonly caseId?: string;
  readonly trialId?: string;
}

/** What a run is held against, and what it did not keep. */
export interface BaselineCheck {
  readonly schema: 'assay.baseline-check/1';
  /** `cannot-tell`: the two are not comparable, or no case was judged in both. */
  readonly outcome: 'pass' | 'fail' | 'cannot-tell';
  readonly reason: string;
  readonly regressions: readonly Regression[];
  /** Cases of the baseline that the run does not have, or in which nothing could be judged. */
  readonly missing: readonly string[];
  readonly comparison: Comparison;
}

export interface RegressionRules extends CompareOptions {
  /** The share by which the mean cost of a case may rise; no limit where it is left out. */
  readonly maxCostRise?: number | undefined;
}

/** Holds a run against a baseline. */
export function checkRegressions(baseline: CollectedSide, run: CollectedSide, rules: RegressionRules): BaselineCheck {
  const comparison = compareCollected(baseline, run, rules);
  const known = { schema: 'assay.baseline-check/1', comparison } as const;
  if (comparison.answer === 'not-comparable') {
    return { ...known, outcome: 'cannot-tell', reason: comparison.summary, regressions: [], missing: [] };
  }
  const { pairs } = pairCases(baseline, run);
  const regressions = [
    ...pairs.flatMap(brokenChecks),
    ...drops(comparison),
    ...costRise(comparison, rules.maxCostRise),
  ];
  const missing = pairs.flatMap(missingCase);
  const isNothing = comparison.answer === 'nothing-to-compare';
  const reason =
    regressions.length > 0
      ? `${counted(regressions.length, 'regression')} against the baseline ${baseline.label}`
      : isNothing
        ? comparison.summary
        : `No regression against the baseline ${baseline.label}`;
  const outcome = regressions.length > 0 ? 'fail' : isNothing ? 'cannot-tell' : 'pass';
  return { ...known, outcome, reason, regressions, missing };
}

/** What held in every trial before counts as broken when it fails in half of the trials now, or more. */
function brokenChecks({ scenario, caseId, a, b }: CasePair): Regression[] {
  if (!a || !b) return [];
  return [...b.checks].flatMap(([name, now]): Regression[] => {
    const then = a.checks.get(name);
    const hasHeld = then !== undefined && then.failed === 0 && then.passed > 0;
    if (!hasHeld || now.failed === 0 || now.failed < now.passed) return [];
    const counts = `passed ${then.passed} of ${then.passed} before, ${now.passed} of ${now.passed + now.failed} now`;
    const example = b.failure ? { trialId: b.failure.trialId } : {};
    return [{ rule: 'check', message: `${name} broke: ${counts}`, scenario, caseId, ...example }];
  });
}

function drops({ metrics }: Comparison): Regression[] {
  return metrics
    .filter(({ isHigherBetter, answer }) => isHigherBetter === true && answer === 'worse')
    .map((metric) => ({ rule: 'drop', message: `drop: ${figureSentence(metric)}` }));
}

function costRise({ metrics }: Comparison, limit: number | undefined): Regression[] {
  const cost = metrics.find(({ name }) => name === 'cost-usd');
  if (limit === undefined || !cost || cost.meanB <= cost.meanA * (1 + limit)) return [];
  const [before, now] = [figureText(cost.meanA, 'usd'), figureText(cost.meanB, 'usd')];
  const rise = cost.meanA > 0 ? `by ${Math.round((cost.meanB / cost.meanA - 1) * 100)} %` : 'from nothing';
  const message = `cost rose ${rise}, more than ${Math.round(limit * 100)} %: ${before} → ${now} for each trial`;
  return [{ rule: 'cost', message }];
}

function missingCase({ scenario, caseId, a, b }: CasePair): string[] {
  if (!a || a.passed + a.failed === 0) return [];
  if (!b) return [`${scenario} › ${caseId}: not in this run`];
  return b.passed + b.failed === 0 ? [`${scenario} › ${caseId}: could not be judged in this run`] : [];
}
