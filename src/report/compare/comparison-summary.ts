import { capitalized, counted } from '../../shared/format.ts';
import { firstRows, type Rows, someRow } from '../../shared/rows.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import { casesBeyondChance } from './changed-cases.ts';
import type { CasePair } from './collected-side.ts';
import type { ChangedCase, FigureAnswer, MetricComparison } from './comparison.ts';
import {
  answerText,
  answerTo,
  changedText,
  changeText,
  figureLabel,
  isChange,
  onText,
  sideTexts,
  smallestText,
  valuesText,
} from './figure-words.ts';
import type { SideNames } from './side-names.ts';

const mostNamed = 3;

/**
 * The answers for a reader who is not a statistician: both questions, one sentence each, and then other figures that changed. Intervals
 * stand in the table.
 */
export function summaryOf(
  [metric, ...others]: readonly MetricComparison[],
  changed: Rows<ChangedCase>,
  pairs: Rows<CasePair>,
  names: SideNames,
): string {
  if (metric)
    return [tasksSentence(metric, changed, names), likeTheseSentence(metric, names), ...otherChanges(others)].join(' ');
  if (someRow(pairs, ({ a, b }) => a !== undefined && b !== undefined))
    return 'Nothing can be compared: no case was judged on both sides.';
  return `Nothing can be compared: ${names.a} and ${names.b} have no case in common. Compare runs of the same scenarios.`;
}

/** `On these 20 tasks, B is worse: 1 case broke (…); pass rate 100 % → 85 %.` */
function tasksSentence(metric: MetricComparison, changed: Rows<ChangedCase>, names: SideNames): string {
  const { answer, decidedBy } = metric.onTheseTasks;
  const place = onText(metric.onTheseTasks);
  const cases = metric.name === 'pass-rate' ? casesText(changed) : [];
  const values = `${valuesText(metric)}${metric.typical ? ` (${changeText(metric)})` : ''}`;
  // Whatever gives the answer comes first.
  const parts = isChange(answer) && !decidedBy ? [values, ...cases] : [...cases, values];
  const isMixed = cases.length > 1 && !isChange(answer);
  const phrase = isMixed ? 'cases broke and others were fixed' : answerPhrase(answer, metric, names);
  return `${capitalized(place)}, ${phrase}: ${parts.join('; ')}.`;
}

function likeTheseSentence(metric: MetricComparison, names: SideNames): string {
  const answer = answerTo(metric, 'tasks-like-these');
  if (isChange(answer)) return `For tasks like these, ${names.b} is ${answerText(metric)}.`;
  const isTypical = answer === 'not-enough-data' && metric.typical?.answer === 'no-difference';
  if (answer === 'no-difference' || isTypical) {
    return `For tasks like these, ${isTypical ? 'typically ' : ''}${answerPhrase('no-difference', metric, names)}.`;
  }
  return `For tasks like these, not enough data${whyUndecided(metric)}.`;
}

/** Chance alone can make so few cases differ in one direction, however much each of them differs. */
function whyUndecided({ units, unitKind, informative }: MetricComparison): string {
  const least = `and it takes ${fewestInformative}`;
  const few = `: there ${units === 1 ? 'is' : 'are'} only ${counted(units, unitKind)}, ${least} that differ`;
  if (units < fewestInformative) return few;
  if (informative === 0) return `: all ${counted(units, unitKind)} ended alike, but so few can miss a difference`;
  if (informative >= fewestInformative) return '';
  return `: only ${informative} of ${counted(units, unitKind)} ${informative === 1 ? 'differs' : 'differ'}, ${least}`;
}

function answerPhrase(answer: FigureAnswer, metric: MetricComparison, { b }: SideNames): string {
  if (isChange(answer)) return `${b} is ${answer}`;
  if (answer === 'no-difference') return `no difference of ${smallestText(metric)} or more`;
  const sides = metric.isHigherBetter === null ? 'higher or lower' : 'better or worse';
  return `not enough data to say whether ${b} is ${sides}`;
}

/** `Also on these tasks: typical cost-usd worse ($0.002 → $0.004).` */
function otherChanges(others: readonly MetricComparison[]): string[] {
  const changed = others.filter((metric) => isChange(answerTo(metric, 'these-tasks')));
  if (changed.length === 0) return [];
  const texts = changed.slice(0, mostNamed).map((metric) => {
    const caution = metric.caution ? `; ${metric.caution}` : '';
    const values = `${sideTexts(metric).join(' → ')}${caution}`;
    return `${metric.typical ? 'typical ' : ''}${figureLabel(metric.name)} ${metric.onTheseTasks.answer} (${values})`;
  });
  const more = changed.length > mostNamed ? [`${changed.length - mostNamed} more`] : [];
  return [`Also on these tasks: ${[...texts, ...more].join(', ')}.`];
}

function casesText(changed: Rows<ChangedCase>): string[] {
  return (['broke', 'fixed'] as const).flatMap((direction) => {
    const found = casesBeyondChance(changed, direction);
    if (found.length === 0) return [];
    const named = firstRows(found, mostNamed).map(caseText);
    const more = found.length > mostNamed ? [`${found.length - mostNamed} more`] : [];
    return [`${changedText({ change: direction, count: found.length })} (${[...named, ...more].join(', ')})`];
  });
}

function caseText({ scenario, caseId, passedA, triedA, passedB, triedB }: ChangedCase): string {
  return `${scenario} › ${caseId}: passed ${passedA} of ${triedA}, now ${passedB} of ${triedB}`;
}
