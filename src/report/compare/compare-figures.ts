import { joinedRows, type Rows } from '../../shared/rows.ts';
import { type Answer, answerOf, isLessThanMatters } from '../../shared/stats/answer.ts';
import { comparePairs, type PairedCase, type PairedComparison, rareFactor } from '../../shared/stats/compare-pairs.ts';
import { comparedWhateverWasLost } from '../../shared/stats/lost-shares.ts';
import type { TrialsOfCase } from '../../shared/stats/permute-trials.ts';
import { holmLevels } from '../../shared/stats/sign-test.ts';
import { entryOf } from './case-numbers.ts';
import type { CasePair } from './collected-side.ts';
import {
  type FigureAnswer,
  type FigureCorrection,
  judgePreference,
  type MetricComparison,
  type OnTheseTasks,
  type TypicalRatio,
} from './comparison.ts';
import { correctedPassRate, type JudgeCorrection, observedShare } from './corrected-pass-rate.ts';
import { decisionPlan, type MeanTrial } from './decision-plan.ts';
import { type FigureValues, figureValues } from './figure-values.ts';
import {
  definitionOf,
  everyValue,
  type FigureDefinition,
  type FigureOptions,
  largestLog,
  logarithms,
  logTolerance,
  smallestDifferenceOf,
} from './figures.ts';
import { answerOnTheseTasks, levelOnTheseTasks, onTheseTasks } from './these-tasks.ts';

/** The figures that come first, in this order; all others follow by name. */
const firstFigures = [
  'pass-rate',
  'judge-score',
  'composite-score',
  'workflow-score',
  judgePreference,
  'cost-usd',
  'duration-ms',
  'tokens',
];

/** The figures to compare: all, or only those named, of which the first is the main question. */
export interface FigureChoice extends FigureOptions {
  readonly only?: readonly string[] | undefined;
  /** How many pairs of variants there are to choose from; 1 where the two sides are all that there is. */
  readonly pairsOfVariants?: number | undefined;
  /** How often chance may decide, where it is not once in twenty times for all pairs of variants together. */
  readonly level?: number | ((figure: string) => number) | undefined;
  /** Error rates of the judges, by which the pass rate is corrected. */
  readonly judgeErrors?: JudgeCorrection | undefined;
}

/** All other figures together may be wrong this often beside the main one, as a share of its error rate. */
const shareOfOthers = 0.2;

interface Look {
  readonly choice: FigureChoice;
  readonly valuesOf: (figure: string) => ReadFigure;
  readonly levelOf: (figure: string) => number;
  readonly trial: MeanTrial | null;
  readonly cautionOf: (definition: FigureDefinition) => string | null;
}

/** The part of a figure that stays: the values of all figures of a large run together would take the memory of the run many times. */
interface Compared extends Pick<FigureValues, 'distinct' | 'unitKind'> {
  readonly name: string;
  /** At which it was tested; of its intervals too. */
  readonly level: number;
  readonly definition: FigureDefinition;
  readonly smallestDifference: number;
  readonly isShare: boolean;
  readonly repeats: MetricComparison['repeats'];
  readonly comparison: PairedComparison;
  readonly correction: FigureCorrection | undefined;
  /** Of logarithms; undefined for figures that are not compared by ratios. */
  readonly logs: PairedComparison | undefined;
  /** Of logarithms too where the figure is compared by ratios. */
  readonly tasks: Omit<OnTheseTasks, 'answer'>;
}

/**
 * Every figure that both sides have. The first is the main question and has the whole error rate, or half of it beside the preference
 * of a judge, which has the other half. All others share a fifth of it
 * (Holm), and the interval of each has the level at which it was tested, so it excludes 0 exactly where there is an answer.
 */
export function compareFigures(
  pairs: Rows<CasePair>,
  choice: FigureChoice,
  trial: MeanTrial | null,
  cautionOf: Look['cautionOf'] = () => null,
): MetricComparison[] {
  const { level = 0.05 / Math.max(1, choice.pairsOfVariants ?? 1) } = choice;
  const levelOf = typeof level === 'function' ? level : () => level;
  const names = figureNames(pairs, choice).filter((name) => isUsable(name, pairs));
  const look = { choice, levelOf, trial, cautionOf, valuesOf: figureReader(pairs, names, choice) };
  // A preference is there only where a judge was called to find it.
  const isMain = (name: string): boolean => name === names[0] || name === judgePreference;
  const [main, others] = [names.filter(isMain), names.filter((name) => !isMain(name))];
  const compared = [
    ...main.flatMap((name) => comparedFigure(name, levelOf(name) / main.length, look) ?? []),
    ...otherFigures(others, look),
  ];
  return compared
    .sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name))
    .map((one) => metricOf(one, look));
}

/** First at the level of the least probable of so many, and again where Holm allows more after both questions of another were answered. */
function otherFigures(names: readonly string[], look: Look): Compared[] {
  const levelAt = (name: string, share: number): number => share * look.levelOf(name);
  const found = names.flatMap((name) => comparedFigure(name, levelAt(name, shareOfOthers / names.length), look) ?? []);
  const shares = holmLevels(
    found.map((one) => Math.max(one.tasks.pValue, pValueOf(one)) / look.levelOf(one.name)),
    shareOfOthers,
  );
  return found.map((one, index) => {
    const level = levelAt(one.name, shares[index] ?? 0);
    return Math.abs(level - one.level) < level / 1e6 ? one : (comparedFigure(one.name, level, look) ?? one);
  });
}

/** Whether some case has the figure on both sides, and it is not 0 throughout, which would say nothing. */
function isUsable(name: string, pairs: Rows<CasePair>): boolean {
  let isPaired = false;
  for (const { a, b } of pairs) {
    const [before, after] = [a?.figures.get(name), b?.figures.get(name)];
    if (!before || !after) continue;
    if (name === 'pass-rate') return true;
    isPaired ||= before.some((value) => value !== 0) || after.some((value) => value !== 0);
    if (isPaired) return true;
  }
  return false;
}

/** The names of all figures that any case has, the important first; only the requested ones, where some were. */
export function figureNames(pairs: Iterable<Pick<CasePair, 'a' | 'b'>>, { only }: FigureChoice): string[] {
  const names = new Set<string>();
  for (const { a, b } of pairs)
    for (const side of [a, b]) for (const name of side?.figures.keys() ?? []) names.add(name);
  if (only) return [...new Set(only)].filter((name) => names.has(name));
  const first = firstFigures.filter((name) => names.has(name));
  return [...first, ...[...names].filter((name) => !firstFigures.includes(name)).sort()];
}

/** The values of a figure, and their logarithms where it is compared by ratios. */
interface ReadFigure {
  readonly pairs: Rows<CasePair>;
  readonly values: FigureValues;
  readonly logCases: FigureValues['cases'] | undefined;
}

/** So many values of all figures together take some hundred megabytes. */
const mostHeldValues = 500_000;

/** Each figure is read once, unless all of them together take too much memory. */
function figureReader(pairs: Rows<CasePair>, names: readonly string[], choice: FigureChoice): Look['valuesOf'] {
  const read = (name: string): ReadFigure => {
    const values = figureValues(name, pairs);
    return { pairs, values, logCases: logarithms(values.cases, definitionOf(name, choice).unit) };
  };
  const held = new Map<string, ReadFigure>();
  return pairs.length * names.length > mostHeldValues ? read : (name) => entryOf(held, name, () => read(name));
}

/** Undefined where no case has the figure on both sides. */
function comparedFigure(name: string, level: number, { valuesOf, choice }: Look): Compared | undefined {
  const { pairs, values, logCases } = valuesOf(name);
  const { cases, missing, distinct, unitKind } = values;
  const definition = definitionOf(name, choice);
  const isShare = isShareOf(definition, cases);
  const observed = isShare
    ? comparedWhateverWasLost(joinedRows(cases, values.unpaired), (filled) =>
        comparePairs(filled, { largestDifference: 1, level }),
      )
    : comparePairs(cases, { largestDifference: spanOf(cases), level, missing });
  if (!observed) return undefined;
  const corrected =
    name === 'pass-rate' ? correctedPassRate(pairs, values, observed, choice.judgeErrors, level) : undefined;
  const { comparison, correction } = corrected ?? { comparison: observed, correction: undefined };
  const smallestDifference = smallestDifferenceOf(definition, comparison.meanA, comparison.meanB);
  const logs = logCases && comparePairs(logCases, logOptions(level, missing));
  const sizes = { definition, smallestDifference, isShare, comparison, logs };
  const compared = logCases && logs ? { ...values, cases: logCases } : values;
  // Where single cases are named beside it, the pass rate shares its error rate with them.
  const isShared = name === 'pass-rate' && choice.level === undefined;
  const levelOf = isShared ? (of: Rows<TrialsOfCase>) => levelOnTheseTasks(of, level) : () => level;
  const tasks = onTheseTasks(compared, { ...wantedOnTasks(sizes), levelOf });
  return tasks && { name, level, ...sizes, distinct, unitKind, repeats: repeatsOf(cases), correction, tasks };
}

function logOptions(level: number, missing: FigureValues['missing']) {
  return { largestDifference: largestLog, level, missing, tolerance: logTolerance };
}

/** Figures that can be below 0 are bounded by the observed values; all others but shares have no bound. */
function spanOf(cases: Rows<PairedCase>): number | undefined {
  let [low, high] = [0, 0];
  for (const { a, b } of cases) {
    for (const value of a) [low, high] = [Math.min(low, value), Math.max(high, value)];
    for (const value of b) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  return low < 0 ? high - low : undefined;
}

/** A figure with values outside 0 to 1 is not a share, whatever its name. */
function isShareOf({ unit }: FigureDefinition, cases: Rows<PairedCase>): boolean {
  return unit === 'share' && everyValue(cases, (value) => value >= 0 && value <= 1);
}

function pValueOf({ comparison, logs }: Pick<Compared, 'comparison' | 'logs'>): number {
  return (logs ?? comparison).pValue;
}

function wantedOnTasks(of: Pick<Compared, 'definition' | 'smallestDifference' | 'isShare' | 'comparison' | 'logs'>) {
  const isRatio = of.logs !== undefined;
  return {
    smallestDifference: isRatio ? smallestLog(of) : of.smallestDifference,
    largestDifference: of.isShare ? 1 : isRatio ? largestLog : rareFactor * largestMean(of.comparison),
    isHigherBetter: of.definition.isHigherBetter ?? true,
    isRatio,
    isShare: of.isShare,
  };
}

function largestMean({ meanA, meanB }: Pick<PairedComparison, 'meanA' | 'meanB'>): number {
  return Math.max(Math.abs(meanA), Math.abs(meanB));
}

/** The smallest difference that matters as a ratio. */
function smallestLog({ smallestDifference, comparison }: Pick<Compared, 'smallestDifference' | 'comparison'>): number {
  const mean = (Math.abs(comparison.meanA) + Math.abs(comparison.meanB)) / 2;
  return mean === 0 ? 0 : Math.log(1 + smallestDifference / mean);
}

function metricOf(compared: Compared, look: Look): MetricComparison {
  const { name, level, definition, smallestDifference, comparison, logs, tasks } = compared;
  const isHigherBetter = definition.isHigherBetter ?? true;
  const mean = answerOf(comparison, { smallestDifference, isHigherBetter });
  const ofTypical = logs && answerOf(logs, { smallestDifference: smallestLog(compared), isHigherBetter });
  const typical = logs && ofTypical ? typicalOf(logs, worded(ofTypical, definition)) : null;
  // An answer for the mean of a figure with rare large values must hold for typical trials as well.
  const isContradicted = typical !== null && mean !== 'no-difference' && worded(mean, definition) !== typical.answer;
  const answer = worded(isContradicted ? 'not-enough-data' : mean, definition);
  const wanted = wantedOnTasks(compared);
  const decided = typical && typical.answer !== 'no-difference' ? typical.answer : answer;
  return {
    name,
    unit: definition.unit,
    isHigherBetter: definition.isHigherBetter,
    smallestDifference,
    cases: compared.distinct,
    unitKind: compared.unitKind,
    repeats: compared.repeats,
    ...comparison,
    level,
    adjustedP: Math.min(1, (pValueOf(compared) * look.levelOf(name)) / level),
    answer,
    isLessThanMatters: isSmall(compared, answer),
    typical,
    onTheseTasks: { ...tasks, answer: worded(answerOnTheseTasks(tasks, wanted, ofTypical ?? mean), definition) },
    caution: look.cautionOf(definition),
    ...(compared.correction && { correction: compared.correction }),
    plan: decided === 'not-enough-data' ? decisionPlan(plannedOf(compared, look), look.trial) : undefined,
  };
}

/** The figure as the plan sees it: by ratios where it is compared by ratios. */
function plannedOf(compared: Compared, { valuesOf }: Look) {
  const { name, logs, smallestDifference, isShare } = compared;
  const { values, logCases } = valuesOf(name);
  return {
    cases: (logs && logCases) ?? values.cases,
    difference: logs ? smallestLog(compared) : smallestDifference * observedShare(compared.correction),
    isShare,
    isUndecided: true,
  };
}

function isSmall(compared: Compared, answer: FigureAnswer): boolean {
  if (answer === 'no-difference') return false;
  const { logs, comparison, smallestDifference } = compared;
  return logs
    ? isLessThanMatters(logs, smallestLog(compared))
    : answer !== 'not-enough-data' && isLessThanMatters(comparison, smallestDifference);
}

function typicalOf(comparison: PairedComparison, answer: FigureAnswer): TypicalRatio {
  const { meanA, meanB, difference, interval, pValue } = comparison;
  return {
    a: Math.exp(meanA),
    b: Math.exp(meanB),
    ratio: Math.exp(difference),
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    pValue,
    answer,
  };
}

function worded(answer: Answer, { isHigherBetter }: FigureDefinition): FigureAnswer {
  if (isHigherBetter !== null) return answer;
  return answer === 'better' ? 'higher' : answer === 'worse' ? 'lower' : answer;
}

function repeatsOf(cases: Rows<PairedCase>): { fewest: number; most: number } {
  let [fewest, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { a, b } of cases) {
    fewest = Math.min(fewest, a.length, b.length);
    most = Math.max(most, a.length, b.length);
  }
  return { fewest, most };
}
