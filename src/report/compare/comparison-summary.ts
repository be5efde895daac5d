import { casesBeyondChance } from './changed-cases.ts';
import type { ChangedCase, FigureAnswer, MetricComparison } from './comparison.ts';
import {
  answerText,
  answerTo,
  changedText,
  changeText,
  isChange,
  levelText,
  likeTheseText,
  onText,
  pointsText,
  sampleText,
  smallestText,
  tasksInterval,
  valuesText,
} from './figure-words.ts';

const namedCases = 3;

/** Both answers, one sentence each, with the question in it. */
export function summaryOf(metric: MetricComparison | undefined, changed: readonly ChangedCase[]): string {
  if (!metric) return 'Nothing can be compared: no case was judged on both sides.';
  return `${tasksSentence(metric, changed)} ${likeTheseSentence(metric)}`;
}

/** `On these 20 tasks, B is worse: pass rate 100 % → 85 % (−15 points, 95 % interval …); 3 cases broke (…).` */
function tasksSentence(metric: MetricComparison, changed: readonly ChangedCase[]): string {
  const { onTheseTasks, unit, typical } = metric;
  const { difference, answer, decidedBy } = onTheseTasks;
  const place = onText(onTheseTasks);
  const start = `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
  const change = typical ? changeText(metric) : pointsText(difference, unit);
  const interval = tasksInterval(metric);
  const range = interval === '-' ? 'too few trials for an interval' : `${levelText(onTheseTasks)} interval ${interval}`;
  const cases = metric.name === 'pass-rate' ? casesText(changed) : [];
  const values = `${valuesText(metric)} (${change}, ${range})`;
  // Whatever gives the answer comes first.
  const parts = isChange(answer) && !decidedBy ? [values, ...cases] : [...cases, values];
  const isMixed = cases.length > 1 && !isChange(answer);
  const phrase = isMixed ? ', cases broke and others were fixed' : answerPhrase(answer, metric);
  return `${start}${phrase}: ${parts.join('; ')}.`;
}

function likeTheseSentence(metric: MetricComparison): string {
  const answer = answerTo(metric, 'tasks-like-these');
  const word = isChange(answer) ? `, B is ${answerText(metric)}` : answerPhrase(answer, metric);
  return `For tasks like these${word} (${likeTheseText(metric, sampleText(metric))}).`;
}

function answerPhrase(answer: FigureAnswer, metric: MetricComparison): string {
  if (isChange(answer)) return `, B is ${answer}`;
  return answer === 'no-difference' ? `, no difference of ${smallestText(metric)} or more` : ', not enough data';
}

function casesText(changed: readonly ChangedCase[]): string[] {
  return (['broke', 'fixed'] as const).flatMap((direction) => {
    const found = casesBeyondChance(changed, direction);
    if (found.length === 0) return [];
    const named = found.slice(0, namedCases).map(caseText);
    const more = found.length > namedCases ? [`${found.length - namedCases} more`] : [];
    return [`${changedText({ change: direction, count: found.length })} (${[...named, ...more].join(', ')})`];
  });
}

function caseText({ scenario, caseId, passedA, triedA, passedB, triedB }: ChangedCase): string {
  return `${scenario} › ${caseId}: passed ${passedA} of ${triedA}, now ${passedB} of ${triedB}`;
}
