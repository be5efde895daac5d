import { createColors } from 'picocolors';
import { collected, findSide } from '../../compose/compare/find-side.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { type FailingCase, talliesText } from '../../report/compare/failing-cases.ts';
import {
  type BaselineCheck,
  checkRegressions,
  type Regression,
  type RegressionRules,
} from '../../report/compare/regressions.ts';
import { collectSide } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { caseTitle } from '../../report/presentation/trial-text.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';
import { counted } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';
import type { OpenPlaces } from './project-store.ts';

const shownRegressions = 30;
const shownMissing = 10;
const shownPossible = 10;
const shownFlaky = 10;

/** Finds the baseline before the run begins, so a wrong name costs nothing. */
export async function findBaseline(what: string, places: OpenPlaces): Promise<CollectedSide> {
  return collected(await findSide(what, places));
}

/** Compares a finished run with a baseline. */
export async function checkRun(
  { summary, store }: StoredRun,
  baseline: CollectedSide,
  rules: RegressionRules,
): Promise<BaselineCheck> {
  return checkRegressions(baseline, await collectSide(storedSource(summary.run, store)), rules);
}

/** 0 nothing got worse · 1 a regression · 2 not comparable · 3 trials could not be compared, and no other got worse. */
export function baselineExitCode({ outcome, comparison }: BaselineCheck): number {
  if (outcome === 'cannot-tell') return comparison.answer === 'not-comparable' ? 2 : 3;
  return outcome === 'fail' ? 1 : 0;
}

/** The regressions as text. */
export function regressionText(
  { outcome, reason, regressions, possible, warnings, missing, comparison, failing, failingUncounted }: BaselineCheck,
  color: boolean,
): string {
  const colors = createColors(color);
  const mark = { pass: colors.green('✓'), fail: colors.red('✗'), 'cannot-tell': colors.yellow('!') }[outcome];
  const line = (sign: string, { message, scenario, caseId, trialId }: Regression): string => {
    const where = scenario === undefined ? '' : `${scenario} › ${caseId}: `;
    const look = trialId === undefined ? '' : colors.dim(`\n        assay show ${trialId}`);
    return `    ${sign} ${printable(`${where}${message}`)}${look}`;
  };
  const certain = regressions.slice(0, shownRegressions).map((each) => line(colors.red('✗'), each));
  const unsure = possible.slice(0, shownPossible).map((each) => line(colors.yellow('?'), each));
  const flaky = failing.filter(isWithinChance);
  const isRefused = comparison.answer === 'not-comparable';
  const lines = [
    `  ${mark} ${printable(reason)}`,
    ...certain,
    ...more(regressions.length - shownRegressions, 'more regression'),
    ...unsure,
    ...more(possible.length - shownPossible, 'more that may be chance'),
    ...flaky.slice(0, shownFlaky).map((one) => `    ${colors.yellow('~')} ${printable(flakyText(one))}`),
    ...more(flaky.length - shownFlaky, 'more case that passes less often'),
    ...(failingUncounted.length > 0 ? [`    ${uncountedText(failingUncounted)}`] : []),
    ...warnings.map(({ message }) => `    ${colors.yellow('warning:')} ${printable(message)}`),
    ...missing.slice(0, shownMissing).map((text) => `    ! ${printable(text)}`),
    ...more(missing.length - shownMissing, 'more case'),
    ...(isRefused
      ? ['    Set a new baseline with `assay baseline set <run>`, or look at it with `assay baseline check --force`.']
      : []),
    ...(outcome === 'pass' ? [colors.dim(`    ${printable(comparison.summary)}`)] : []),
  ];
  return `\n${lines.join('\n')}\n`;
}

/** Flaky as before, or failing now and then as chance explains; those that mostly fail now are listed as possible regressions. */
function isWithinChance({ kind, now }: FailingCase): boolean {
  return kind === 'flaky' || (kind === 'unclear' && now.failed < now.passed);
}

function flakyText(one: FailingCase): string {
  const { scenario, caseId, variant, kind } = one;
  return `${kind === 'flaky' ? 'flaky' : 'passes less often'}: ${caseTitle({ scenario, caseId, variant })}: ${talliesText(one)}`;
}

function uncountedText(cases: readonly FailingCase[]): string {
  const broken = cases.filter(({ kind }) => kind === 'broken').length;
  const which = broken === 0 ? '' : `, ${broken} of them broken`;
  return `${counted(cases.length, 'case')} with failures${which}, not counted: quarantined, or role capability`;
}

function more(count: number, singular: string): string[] {
  return count > 0 ? [`    … and ${counted(count, singular)}`] : [];
}
