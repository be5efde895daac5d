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
import { type Block, firstOf, type Item, list, marks, type Section, text } from '../../shared/blocks/block.ts';
import { sectionLines } from '../../shared/blocks/draw-text.ts';
import { counted } from '../../shared/format.ts';
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
export function regressionText(check: BaselineCheck, color: boolean): string {
  const { outcome, reason, regressions, possible, warnings, missing, comparison, failing, failingUncounted } = check;
  const mark = outcome === 'cannot-tell' ? 'error' : outcome;
  const flaky = failing.filter(isWithinChance).map((one): Item => ({ mark: 'unknown', words: flakyText(one) }));
  const certain = regressions.map((one) => regressionItem('fail', one));
  const unsure = possible.map((one) => regressionItem('unknown', one));
  const isRefused = comparison.answer === 'not-comparable';
  const section: Section = {
    title: [{ text: marks[mark][0], tone: marks[mark][1] }, ` ${reason}`],
    isStatement: true,
    blocks: [
      ...firstItems(certain, shownRegressions, 'more regression'),
      ...firstItems(unsure, shownPossible, 'more that may be chance'),
      ...firstItems(flaky, shownFlaky, 'more case that passes less often'),
      ...(failingUncounted.length > 0 ? [text(uncountedText(failingUncounted))] : []),
      ...warnings.map(({ message }) => text([{ text: 'warning:', tone: 'unsure' }, ` ${message}`])),
      ...firstItems(
        missing.map((words): Item => ({ mark: 'error', words })),
        shownMissing,
        'more case',
      ),
      ...(isRefused
        ? [
            text(
              'Set a new baseline with `assay baseline set <run>`, or look at it with `assay baseline check --force`.',
            ),
          ]
        : []),
      ...(outcome === 'pass' ? [text(comparison.summary, 'quiet')] : []),
    ],
  };
  return `\n${sectionLines(section, { color, indent: '  ', width: Number.POSITIVE_INFINITY }).join('\n')}\n`;
}

function regressionItem(mark: 'fail' | 'unknown', { message, scenario, caseId, trialId }: Regression): Item {
  const where = scenario === undefined ? '' : `${scenario} › ${caseId}: `;
  return { mark, words: `${where}${message}`, below: trialId === undefined ? [] : [`assay show ${trialId}`] };
}

function firstItems(items: readonly Item[], most: number, noun: string): Block[] {
  const { listed, more } = firstOf(items, most, (hidden) => counted(hidden, noun));
  return [list(listed), ...more.map((words) => text(words))];
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
