import { counted } from '../../shared/format.ts';
import { type Difference, judgePreference, type MetricComparison } from './comparison.ts';
import {
  answerText,
  answerTo,
  answerWords,
  changedText,
  changeText,
  figureLabel,
  fullChangeText,
  intervalText,
  isChange,
  levelText,
  sideTexts,
  tasksInterval,
} from './figure-words.ts';

/** The answer on these tasks with its interval: `worse (−20 to −10)`, `worse: 1 case broke (mean −3 to 1)`. */
export function tasksCell(metric: MetricComparison): string {
  const { onTheseTasks, caution } = metric;
  const { answer, decidedBy } = onTheseTasks;
  const why = isChange(answer) && caution ? `; ${caution}` : '';
  const cases = decidedBy ? `: ${changedText(decidedBy)}` : '';
  const range = rangeText(tasksInterval(metric), onTheseTasks, decidedBy ? 'mean ' : '');
  return `${answerWords[answer]}${cases}${range}${why}`;
}

/** The answer for tasks like these with its interval. */
export function likeTheseCell(metric: MetricComparison): string {
  return `${answerText(metric)}${rangeText(intervalText(metric), metric)}`;
}

/** 95 % is said once above the table; another level is said beside its interval. Empty where there is none. */
function rangeText(range: string, of: { readonly level: number }, what = ''): string {
  return range === '-' ? '' : ` (${what}${range}${of.level === 0.05 ? '' : `, ${levelText(of)}`})`;
}

/** Figures with an answer, the main one, and the preference that a judge was called for; the others are folded into one line. */
export function foldedFigures(metrics: readonly MetricComparison[]): {
  readonly listed: readonly MetricComparison[];
  readonly folded: string | undefined;
} {
  const listed = metrics.filter((metric, index) => isMain(metric, index) || hasAnswer(metric));
  const folded = metrics.filter((metric) => !listed.includes(metric)).map(({ name }) => figureLabel(name));
  const text = `${counted(folded.length, 'other figure')}: not enough data (${folded.join(', ')})`;
  return { listed, folded: folded.length === 0 ? undefined : text };
}

/** The same for one screen: figures that did not change, or perhaps for another reason, are a line of values. */
export function figuresOfScreen(metrics: readonly MetricComparison[]): {
  readonly rows: readonly MetricComparison[];
  readonly lines: readonly string[];
} {
  const { listed, folded } = foldedFigures(metrics);
  const rows = listed.filter((metric, index) => isMain(metric, index) || (hasChanged(metric) && !metric.caution));
  const groups = new Map<string, string[]>();
  for (const metric of listed.filter((one) => !rows.includes(one))) {
    const title = hasChanged(metric) ? changeTitle(metric) : samenessTitle(metric);
    const values = `${rowLabel(metric)} ${sideTexts(metric).join(' → ')} (${changeText(metric)})`;
    groups.set(title, [...(groups.get(title) ?? []), values]);
  }
  const grouped = [...groups].map(([title, values]) => `${title}: ${values.join('; ')}`);
  return { rows, lines: [...grouped, ...(folded === undefined ? [] : [folded])] };
}

function isMain({ name }: MetricComparison, index: number): boolean {
  return index === 0 || name === judgePreference;
}

function answersOf(metric: MetricComparison) {
  const { answer, typical, onTheseTasks } = metric;
  return [onTheseTasks.answer, answer, ...(typical ? [typical.answer] : [])];
}

function hasAnswer(metric: MetricComparison): boolean {
  return answersOf(metric).some((answer) => answer !== 'not-enough-data');
}

/** Whether a figure changed by an answer to one of the questions. */
export function hasChanged(metric: MetricComparison): boolean {
  return isChange(answerTo(metric, 'these-tasks')) || isChange(answerTo(metric, 'tasks-like-these'));
}

/** `worse; run at different times`. */
function changeTitle(metric: MetricComparison): string {
  const [onTasks, likeThese] = [answerTo(metric, 'these-tasks'), answerTo(metric, 'tasks-like-these')];
  return `${answerWords[isChange(onTasks) ? onTasks : likeThese]}; ${metric.caution}`;
}

function samenessTitle({ answer, typical, onTheseTasks }: MetricComparison): string {
  const isOnTasks = onTheseTasks.answer === 'no-difference';
  const isForOthers = answer === 'no-difference' || typical?.answer === 'no-difference';
  if (isOnTasks && isForOthers) return 'no difference';
  return `no difference ${isOnTasks ? 'on these tasks' : 'for tasks like these'}`;
}

/** How to read a table of figures; nothing for the pass rate alone. */
export function figureLegend(metrics: readonly MetricComparison[]): string[] {
  const { listed } = foldedFigures(metrics);
  return [
    ...(listed.some(({ typical }) => typical) ? ['Typical: geometric mean, which rare large trials hardly move.'] : []),
    ...(listed.length > 1
      ? ['All figures but the first are tested more strictly (Holm), at the level beside each interval.']
      : []),
  ];
}

/** `tokens, typical` where the values beside it are those of typical trials. */
export function rowLabel(metric: MetricComparison): string {
  return `${figureLabel(metric.name)}${metric.typical ? ', typical' : ''}`;
}

/** One line with both answers: `pass-rate: 100 % → 85 %, −15 points; on these tasks worse (−24 to −6); for tasks like these not enough data (…)`. */
export function rowText(metric: MetricComparison): string {
  const change = `${sideTexts(metric).join(' → ')}, ${fullChangeText(metric)}`;
  return `${rowLabel(metric)}: ${change}; on these tasks ${tasksCell(metric)}; for tasks like these ${likeTheseCell(metric)}`;
}

/** Whether a difference is what the comparison is about, rather than something beside it. */
export function isCompared({ what }: Pick<Difference, 'what'>): boolean {
  return what === 'subject' || what === 'agent' || what === 'model' || what === 'variant' || what === 'tools';
}

/** The compared differences as one text: `connector: before in A, after in B; 3 more differences`. */
export function comparedText(differences: readonly Difference[], most = differences.length): string | undefined {
  const compared = differences.filter(isCompared).map(({ message }) => message);
  if (compared.length === 0) return undefined;
  const more = compared.length - most;
  return [...compared.slice(0, most), ...(more > 0 ? [counted(more, 'more difference')] : [])].join('; ');
}
