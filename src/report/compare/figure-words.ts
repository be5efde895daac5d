import { counted, formatDuration, grouped } from '../../shared/format.ts';
import type { RepeatPlan } from '../../shared/stats/plan-repeats.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import type {
  DecidingCases,
  DecisionPlan,
  FigureAnswer,
  FigureUnit,
  MetricComparison,
  OnTheseTasks,
  Question,
} from './comparison.ts';
import type { UnitKind } from './sample-units.ts';

/** An answer as it stands in a table. */
export const answerWords: Readonly<Record<FigureAnswer, string>> = {
  better: 'better',
  worse: 'worse',
  higher: 'higher',
  lower: 'lower',
  'no-difference': 'no difference',
  'not-enough-data': 'not enough data',
};

/** The answer of a figure in full: of the mean, or else of typical trials, and whether the difference matters. */
export function answerText(metric: MetricComparison): string {
  const { answer, typical, isLessThanMatters, caution } = metric;
  const isTypical = answer === 'not-enough-data' && typical !== null && typical.answer !== 'not-enough-data';
  const word = isTypical ? `typically ${answerWords[typical.answer]}` : answerWords[answer];
  const isDecided = isChange(isTypical ? typical.answer : answer);
  return `${word}${isDecided && isLessThanMatters ? ', but by less than matters' : ''}${isDecided && caution ? `; ${caution}` : ''}`;
}

/** Both questions in one line: `on these 20 tasks: worse; for tasks like these: not enough data`. */
export function answerTexts(metric: MetricComparison): string {
  const { onTheseTasks } = metric;
  return `${onText(onTheseTasks)}: ${answerWords[onTheseTasks.answer]}; for tasks like these: ${answerText(metric)}`;
}

/** The answer to one question; for tasks like these it is that of the mean, or else of typical trials. */
export function answerTo({ answer, typical, onTheseTasks }: MetricComparison, question: Question): FigureAnswer {
  if (question === 'these-tasks') return onTheseTasks.answer;
  return typical && !isChange(answer) && isChange(typical.answer) ? typical.answer : answer;
}

/** With too few units to speak of others, the figure on these tasks is the only one that can decide; else null. */
export function onlyTheseTasks({ units, onTheseTasks }: MetricComparison): OnTheseTasks | null {
  return units < fewestInformative ? onTheseTasks : null;
}

/** The widest answer that the data allows: for tasks like these, or else on exactly these tasks. */
export function widestAnswer(metric: MetricComparison): { readonly answer: FigureAnswer; readonly text: string } {
  const answer = answerTo(metric, 'tasks-like-these');
  const { onTheseTasks } = metric;
  if (answer !== 'not-enough-data' || onTheseTasks.answer === 'not-enough-data') {
    return { answer, text: answerText(metric) };
  }
  return { answer: onTheseTasks.answer, text: `${answerWords[onTheseTasks.answer]} ${onText(onTheseTasks)}` };
}

/** `2 cases broke`, `1 case was fixed`. */
export function changedText({ change, count }: DecidingCases): string {
  const verb = change === 'broke' ? 'broke' : count === 1 ? 'was fixed' : 'were fixed';
  return `${counted(count, 'case')} ${verb}`;
}

/** Whether an answer is that something changed. */
export function isChange(answer: FigureAnswer): boolean {
  return answer !== 'no-difference' && answer !== 'not-enough-data';
}

/** A number with as many digits as say something: `1.23 M`, `1,234`, `12.3`, `0.0123`. */
function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 999_500) return signed(value, `${Number((size / 1e6).toPrecision(3))} M`);
  if (size >= 100) return signed(value, grouped(Math.round(size)));
  if (size < 1e-9) return '0';
  return signed(value, size < 0.0001 ? twoDigits(size) : String(Number(size.toPrecision(3))));
}

/** A very small number without an exponent: `0.00000092`. */
function twoDigits(size: number): string {
  return size.toFixed(1 - Math.floor(Math.log10(size)));
}

/** A value of a figure, with its unit: the one text of it on every surface. */
export function figureText(value: number, unit: FigureUnit): string {
  return unit === 'share' ? `${percentOf(value)} %` : amountText(value, unit);
}

function amountText(value: number, unit: FigureUnit): string {
  const size = Math.abs(value);
  if (unit === 'usd') return signed(value, `$${shortNumber(size)}`);
  if (unit !== 'ms' || !Number.isFinite(value)) return shortNumber(value);
  // Rounded to whole milliseconds, quick calls would all take the same time.
  return signed(value, size > 0 && size < 10 ? `${shortNumber(size)} ms` : formatDuration(size));
}

/** A difference: shares in points of percent, with its sign. */
function differenceText(value: number, unit: FigureUnit): string {
  const text = boundText(value, unit);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** One end of an interval, in the same terms as the difference. */
export function boundText(value: number, unit: FigureUnit): string {
  return unit === 'share' ? percentOf(value) : amountText(value, unit);
}

/** `-27 to -7`, or `-20 % to +30 %` for the ratio of typical trials; a dash where there is too little for an interval. */
export function intervalText({ interval, unit, typical }: MetricComparison): string {
  if (typical) return typical.interval ? ratioRange(typical.interval) : '-';
  return interval ? `${boundText(interval.low, unit)} to ${boundText(interval.high, unit)}` : '-';
}

/** The change from A to B: a difference, or `+15 %` where typical trials are compared by their ratio. */
export function changeText({ difference, unit, typical }: MetricComparison): string {
  return typical ? ratioText(typical.ratio) : differenceText(difference, unit);
}

/** The same where there is room: differences of shares are in points, which are not percent. */
export function fullChangeText(metric: MetricComparison): string {
  return metric.typical ? changeText(metric) : pointsText(metric.difference, metric.unit);
}

/** `+15 %` of what it was; from twice on, people say how many times as much. */
function ratioText(ratio: number): string {
  return ratio < 2 ? changedBy(ratio) : `${shortNumber(ratio)} times as much`;
}

function ratioRange({ low, high }: { readonly low: number; readonly high: number }): string {
  return high < 2 ? `${changedBy(low)} to ${changedBy(high)}` : `${shortNumber(low)} to ${shortNumber(high)} times`;
}

function changedBy(ratio: number): string {
  return `${differenceText(ratio - 1, 'share')} %`;
}

/** `on this task: worse (−15 points, 95 % interval −24 to −6, 25 and 25 trials)`. */
export function onTheseTasksText(metric: MetricComparison): string {
  const { onTheseTasks, unit } = metric;
  const { answer, isRatio, difference, trialsA, trialsB } = onTheseTasks;
  const change = isRatio ? ratioText(Math.exp(difference)) : pointsText(difference, unit);
  const interval = tasksInterval(metric);
  const range = interval === '-' ? 'too few trials for an interval' : `${levelText(onTheseTasks)} interval ${interval}`;
  return `${onText(onTheseTasks)}: ${answerWords[answer]} (${change}, ${range}, ${trialsA} and ${counted(trialsB, 'trial')})`;
}

/** `on this task`, `on these 20 tasks`. */
export function onText({ cases }: Pick<OnTheseTasks, 'cases'>): string {
  return cases === 1 ? 'on this task' : `on these ${grouped(cases)} tasks`;
}

/** The interval on these tasks, in the terms of the change; a dash where there is none. */
export function tasksInterval({ onTheseTasks: { interval, isRatio }, unit }: MetricComparison): string {
  if (!interval) return '-';
  const { low, high } = interval;
  if (isRatio) return ratioRange({ low: Math.exp(low), high: Math.exp(high) });
  return `${boundText(low, unit)} to ${boundText(high, unit)}`;
}

/** `95 %`: the confidence of an interval, which is larger where several things share an error rate. */
export function levelText({ level }: { readonly level: number }): string {
  return `${Number((100 * (1 - level)).toPrecision(4))} %`;
}

/** A difference with its sign; shares in points. */
export function pointsText(difference: number, unit: FigureUnit): string {
  return `${differenceText(difference, unit)}${unit === 'share' ? ' points' : ''}`;
}

/** `pass rate 82 % → 65 % (−17 points, 95 % interval −27 to −7, 20 cases x 5)`: for tasks like these. */
export function figureSentence(metric: MetricComparison): string {
  return `${valuesText(metric)} (${likeTheseText(metric, sampleText(metric))})`;
}

/** `−17 points, 95 % interval −27 to −7, 20 cases x 5`. */
function likeTheseText(metric: MetricComparison, sample: string): string {
  const { typical } = metric;
  const hasInterval = (typical ?? metric).interval !== undefined;
  const interval = hasInterval
    ? `${levelText(metric)} interval ${intervalText(metric)}`
    : 'too few cases for an interval';
  return `${fullChangeText(metric)}, ${interval}, ${sample}`;
}

/** `pass rate 82 % → 65 %`; `tokens of a typical trial 120 → 135`, whose ratio is the one beside it. */
export function valuesText(metric: MetricComparison): string {
  const { name, typical } = metric;
  const [a, b] = sideTexts(metric);
  return `${figureLabel(name)}${typical ? ' of a typical trial' : ''} ${a} → ${b}`;
}

/** The figure on both sides, as it is compared: means, or geometric means where ratios are. */
export function sideTexts({ unit, meanA, meanB, typical }: MetricComparison): readonly [string, string] {
  const [a, b] = typical ? [typical.a, typical.b] : [meanA, meanB];
  return [figureText(a, unit), figureText(b, unit)];
}

/** The same of an experiment, in which not every case was tried as often; for a few cases, the answer on those. */
export function lookSentence(metric: MetricComparison, isOnTheseCases: boolean): string {
  const sentence = `${valuesText(metric)} (${likeTheseText(metric, counted(metric.cases, 'case'))})`;
  return isOnTheseCases ? `${onTheseTasksText(metric)}; ${sentence}` : sentence;
}

/** `interaction.retry_rate` as `retry rate`; a metric that is called as a figure of every trial is distinguished. */
export function figureLabel(name: string): string {
  if (name === 'duration' || name === 'cost') return `${name} (metric)`;
  return name
    .replace(/^interaction\./, '')
    .replace(/-(?:usd|ms)$/, '')
    .replaceAll(/(?<=[a-z])[-_](?=[a-z])/g, ' ');
}

/** `20 cases x 5`, `20 cases x 3 to 5`, `100 cases of 10 scenarios x 1`, `3 cases under several variants x 5`. */
export function sampleText({ cases, pairs, units, unitKind, repeats: { fewest, most } }: MetricComparison): string {
  const of = unitKind === 'case' ? '' : ` of ${counted(units, unitKind)}`;
  const under = pairs > cases ? ' under several variants' : '';
  return `${counted(cases, 'case')}${of}${under} x ${fewest === most ? fewest : `${fewest} to ${most}`}`;
}

/** The smallest difference that matters: `5 points`, `12.3`. */
export function smallestText({ smallestDifference, unit }: MetricComparison): string {
  const text = boundText(smallestDifference, unit);
  return unit === 'share' ? `${text} ${text === '1' ? 'point' : 'points'}` : text;
}

/** The cases that a plan starts from. */
export interface PlannedSample {
  readonly cases: number;
  readonly unitKind: UnitKind;
  /** Fewest tries of a case on a side. */
  readonly tries: number;
  readonly isUnderVariants?: boolean | undefined;
}

/** `20 cases x 12 repeats`, or more of what is sampled: `8 scenarios as large as these x 5 repeats`. */
export function planSizeText({ repeats, cases }: RepeatPlan, sample: PlannedSample): string {
  if (repeats !== null) return `${counted(sample.cases, 'case')} x ${counted(repeats, 'repeat')}`;
  const { unitKind, tries, isUnderVariants } = sample;
  const like = unitKind !== 'case' ? ' as large as these' : isUnderVariants ? ' under the same variants' : '';
  return `${counted(cases, unitKind)}${like} x ${counted(tries, 'repeat')}`;
}

/** A plan is for the smallest difference that matters, also where a larger one was seen, which chance can have made. */
function seenText({ difference, smallestDifference, unit, typical }: MetricComparison): string {
  if (typical || Math.abs(difference) <= smallestDifference) return '';
  return `, the smallest that matters (${pointsText(difference, unit)} seen),`;
}

/** `20 cases x 12 repeats would show a difference of 5 points 4 times in 5: 480 trials, about $4.80`. */
export function planText(metric: MetricComparison): string | undefined {
  const { plan, cases, pairs, repeats, unitKind } = metric;
  if (!plan || (plan.repeats === null && !Number.isFinite(plan.cases))) return undefined;
  const size = planSizeText(plan, { cases, unitKind, tries: repeats.fewest, isUnderVariants: pairs > cases });
  return `${size} would show a difference of ${smallestText(metric)}${seenText(metric)} 4 times in 5${effortText(plan)}`;
}

/** `: 480 trials, about $4.80 and 2 h 10 min in sequence`. */
export function effortText({ trials, costUsd, durationMs }: DecisionPlan): string {
  if (trials === null) return '';
  const cost = costUsd === null || costUsd === 0 ? [] : [`$${shortNumber(costUsd)}`];
  const time = durationMs === null ? [] : [`${formatDuration(durationMs)} in sequence`];
  const effort = [...cost, ...time].join(' and ');
  return `: ${counted(trials, 'trial')}${effort === '' ? '' : `, about ${effort}`}`;
}

function percentOf(share: number): string {
  const percent = share * 100;
  const digits = Math.abs(percent) < 9.95 && Math.abs(percent) >= 0.05 ? 1 : 0;
  const text = String(Number(Math.abs(percent).toFixed(digits)));
  return text === '0' ? '0' : signed(percent, text);
}

function signed(value: number, text: string): string {
  return value < 0 ? `−${text}` : text;
}
