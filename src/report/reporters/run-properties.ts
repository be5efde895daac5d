import type { PassOfK } from '../../shared/stats/repeated-passes.ts';
import type { RunFigures } from '../compare/run-figures.ts';

/** The figures of a run as flat names and values, for formats that have no other place for them; absent ones are left out. */
export function runProperties(figures: RunFigures): (readonly [name: string, value: number])[] {
  const { totals, passRate, cases, repeats, cost, costUsd, notJudged } = figures;
  const values: (readonly [string, number | null | undefined])[] = [
    ['planned', totals.planned],
    ['passed', totals.pass],
    ['failed', totals.fail],
    ['errors', totals.error],
    ['skipped', totals.skipped],
    ['not_judged', notJudged],
    ['reused', figures.reused],
    ['cost_usd', costUsd],
    ['known_cost_usd', cost.knownUsd],
    ['trials_without_cost', cost.unknownTrials],
    ['pass_rate', passRate.rate],
    ['pass_rate.low', passRate.interval?.low],
    ['pass_rate.high', passRate.interval?.high],
    ['judged_trials', passRate.trials],
    ['judged_trials.passed', passRate.passed],
    ['cases', cases.judged],
    ['cases.passed', cases.passed],
    ['flaky_cases', repeats?.flaky],
    ...(repeats?.passAtK ?? []).flatMap((one) => chance('pass@', one)),
    ...(repeats?.passHatK ?? []).flatMap((one) => chance('pass^', one)),
  ];
  return values.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]));
}

function chance(name: string, { k, value, interval }: PassOfK): (readonly [string, number])[] {
  return [
    [`${name}${k}`, value],
    [`${name}${k}.low`, interval.low],
    [`${name}${k}.high`, interval.high],
  ];
}
