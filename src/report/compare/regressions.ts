import { counted } from '../../shared/format.ts';
import { brokeBeyondChance } from '../../shared/stats/chance-rule.ts';
import type { CasePair, CheckTally, CollectedCase, CollectedSide } from './collected-side.ts';
import { type CompareOptions, compareCollected } from './compare-sides.ts';
import type { Comparison } from './comparison.ts';
import { decidedAnswer, figureSentence, figureText } from './figure-words.ts';
import { pairCases } from './pair-cases.ts';
import { type RegressionWarning, regressionWarnings } from './regression-warnings.ts';

/** Something that was better in the baseline. */
export interface Regression {
  /** `check`: something that held does not; `drop`: a figure fell; `cost`: a case costs more than it may. */
  readonly rule: 'check' | 'drop' | 'cost';
  readonly message: string;
  readonly scenario?: string;
  readonly caseId?: string;
  readonly trialId?: string;
}

/** The result of checking a run against a baseline. */
export interface BaselineCheck {
  readonly schema: 'assay.baseline-check/1';
  /** `cannot-tell`: the two are not comparable, or no case was judged in both. */
  readonly outcome: 'pass' | 'fail' | 'cannot-tell';
  readonly reason: string;
  readonly regressions: readonly Regression[];
  /** Suspected regressions that chance explains with so few trials; they do not fail the check. */
  readonly possible: readonly Regression[];
  /** Means that changed much, whether or not chance explains it; they do not fail the check. */
  readonly warnings: readonly RegressionWarning[];
  /** Cases of the baseline that the run does not have, or in which nothing could be judged. */
  readonly missing: readonly string[];
  readonly comparison: Comparison;
}

export interface RegressionRules extends CompareOptions {
  /** The share by which the mean cost of a case may rise; no limit where it is left out. */
  readonly maxCostRise?: number | undefined;
  /** For tools that always do the same: a check that broke counts, however few trials show it. */
  readonly anyBreak?: boolean | undefined;
}

export function checkRegressions(baseline: CollectedSide, run: CollectedSide, rules: RegressionRules): BaselineCheck {
  const comparison = compareCollected(baseline, run, rules);
  const base = { schema: 'assay.baseline-check/1', comparison } as const;
  if (comparison.answer === 'not-comparable') {
    const nothing = { regressions: [], possible: [], warnings: [], missing: [] };
    return { ...base, outcome: 'cannot-tell', reason: comparison.summary, ...nothing };
  }
  const { pairs } = pairCases(baseline, run);
  const found = [...brokenChecks(pairs), ...drops(comparison), ...costRise(comparison, rules.maxCostRise)];
  const [regressions, possible] = [true, false].map((isCertain) =>
    found.flatMap(({ isBeyondChance, ...regression }) => {
      const counts = isBeyondChance || (rules.anyBreak === true && regression.rule === 'check');
      return counts === isCertain ? [regression] : [];
    }),
  ) as [Regression[], Regression[]];
  const missing = pairs.flatMap(missingCase);
  const isNothing = comparison.answer === 'nothing-to-compare';
  const reason =
    regressions.length > 0
      ? `${counted(regressions.length, 'regression')} against the baseline ${baseline.label}`
      : isNothing
        ? comparison.summary
        : `No regression against the baseline ${baseline.label}${possibleText(possible.length)}`;
  const outcome = regressions.length > 0 ? 'fail' : isNothing ? 'cannot-tell' : 'pass';
  const warnings = regressionWarnings(comparison);
  return { ...base, outcome, reason, regressions, possible, warnings, missing };
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
function brokenChecks(pairs: readonly CasePair[]): Suspect[] {
  const looks = pairs.reduce((count, { a, b }) => count + (a && b ? heldChecks(a).length : 0), 0);
  return pairs.flatMap(({ scenario, caseId, a, b }) => {
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

function drops({ metrics }: Comparison): Suspect[] {
  return metrics
    .filter((metric) => metric.isHigherBetter === true && decidedAnswer(metric) === 'worse')
    .map((metric) => ({ rule: 'drop', message: `drop: ${figureSentence(metric)}`, isBeyondChance: true }));
}

function costRise({ metrics }: Comparison, limit: number | undefined): Suspect[] {
  const cost = metrics.find(({ name }) => name === 'cost-usd');
  if (limit === undefined || !cost || cost.meanB <= cost.meanA * (1 + limit)) return [];
  const [before, now] = [figureText(cost.meanA, 'usd'), figureText(cost.meanB, 'usd')];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const rise = cost.meanA === 0 ? 'from nothing' : `by ${percent(cost.meanB / cost.meanA - 1)}`;
  const message = `cost rose ${rise}, more than ${percent(limit)}: ${before} → ${now} for each trial`;
  return [{ rule: 'cost', message, isBeyondChance: decidedAnswer(cost) === 'worse' }];
}

function missingCase({ scenario, caseId, a, b }: CasePair): string[] {
  if (!a || a.passed + a.failed === 0) return [];
  if (!b) return [`${scenario} › ${caseId}: not in this run`];
  return b.passed + b.failed === 0 ? [`${scenario} › ${caseId}: could not be judged in this run`] : [];
}
