import type { JsonObject } from './coerce.ts';

/** Verdict on a trial that its file contains. */
export interface RecordedVerdict {
  readonly state: 'pass' | 'fail' | 'error' | 'skipped';
  readonly reason: string;
  /** A reward or a score, where there is one. */
  readonly value?: number | undefined;
}

/** One of several checks of which a verdict consists. */
export interface RecordedCheck extends RecordedVerdict {
  readonly name: string;
}

const rewardKeys = ['reward', 'final_reward', 'total_reward'];
const answerKeys = ['passed', 'pass', 'success', 'resolved', 'correct', 'is_correct'];
const outcomeKeys = ['outcome', 'verdict'];
/** Sums of fractions need not be exactly 1. */
const wholeReward = 1 - 1e-6;
const largestReward = 1 + 1e-6;

/**
 * The verdict in an object: a reward, a boolean, or an outcome in words. It could not be judged where one of them cannot
 * be read, where they disagree, and where a pass stands beside an error.
 */
export function verdictIn(object: JsonObject): RecordedVerdict | undefined {
  const readings = [
    ...presentIn(object, rewardKeys).map(([, value]) => verdictOfReward(value)),
    ...presentIn(object, answerKeys).map(([key, value]) => verdictOfAnswer(key, value)),
    ...presentIn(object, outcomeKeys).map(([key, value]) => verdictOfWord(value) ?? notVerdict(key, value)),
  ];
  const verdict = agreedVerdict(readings);
  const error = errorText(object.error);
  return verdict?.state === 'pass' && error !== undefined
    ? { state: 'error', reason: `the file says both pass (${verdict.reason}) and an error: ${error}` }
    : verdict;
}

/** A verdict that is given several times, which must be the same each time; undefined where it is not given. */
export function agreedVerdict(readings: readonly RecordedVerdict[]): RecordedVerdict | undefined {
  const [first] = readings;
  const unreadable = readings.find(({ state }) => state === 'error');
  if (!first || unreadable) return unreadable ?? first;
  const other = readings.find(({ state }) => state !== first.state);
  return other ? { state: 'error', reason: `the file says both ${saysText(first)} and ${saysText(other)}` } : first;
}

function saysText({ state, reason, value }: RecordedVerdict): string {
  return value === undefined ? `${state} (${reason})` : reason;
}

/** Null stands for a verdict that was not given. */
function presentIn(object: JsonObject, keys: readonly string[]): [string, unknown][] {
  return keys.flatMap((key): [string, unknown][] => (object[key] == null ? [] : [[key, object[key]]]));
}

/** The words of an error; undefined where there was none. */
export function errorText(error: unknown): string | undefined {
  if (error === false || error === 0) return undefined;
  const message = typeof error === 'object' && error !== null ? ((error as JsonObject).message ?? error) : error;
  return message == null || message === ''
    ? undefined
    : typeof message === 'string'
      ? message
      : JSON.stringify(message);
}

/** A task passes when its reward is 1. */
export function verdictOfReward(reward: unknown): RecordedVerdict {
  if (typeof reward !== 'number') {
    return { state: 'error', reason: `the reward ${JSON.stringify(reward)} is not a number` };
  }
  if (!(reward >= 0 && reward <= largestReward)) {
    return { state: 'error', reason: `the reward ${reward} is not between 0 and 1` };
  }
  return { state: reward >= wholeReward ? 'pass' : 'fail', reason: `reward ${reward}`, value: reward };
}

function verdictOfAnswer(key: string, value: unknown): RecordedVerdict {
  if (typeof value !== 'boolean') return notVerdict(key, value);
  return { state: value ? 'pass' : 'fail', reason: `\`${key}\` is ${value}` };
}

function notVerdict(key: string, value: unknown): RecordedVerdict {
  return { state: 'error', reason: `\`${key}\` is ${JSON.stringify(value)}, which is not a verdict` };
}

/** An outcome in words, such as `Fail: 1/2 gates passed`; undefined for other words. */
export function verdictOfWord(value: unknown): RecordedVerdict | undefined {
  if (typeof value !== 'string') return undefined;
  const [, word = ''] = /^(pass|fail|error|skipped)(?:ed|ure)?\b/i.exec(value.trim()) ?? [];
  const state = (['pass', 'fail', 'error', 'skipped'] as const).find((state) => state === word.toLowerCase());
  return state && { state, reason: value.trim() };
}
