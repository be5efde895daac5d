import { figureOf, type JsonObject, nameOf } from './coerce.ts';

/** A score of another program, with what it is called there. */
export interface NamedScore {
  readonly name: string;
  /** A number, a boolean, or a word such as `C` and `pass`. */
  readonly value: unknown;
  readonly reason?: string | undefined;
  /**
   * The meaning of `true` where its name does not say so: `verdict` for a field that says whether it passed, in which
   * anything else is unreadable; `higher` where the program counts it as 1 of 1; unknown otherwise.
   */
  readonly meaning?: 'verdict' | 'higher' | undefined;
  /** A word that sorts and does not judge. */
  readonly isCategory?: boolean | undefined;
}

const passWords = /^(?:c|correct|pass(?:ed)?|true|yes|y|success|succeeded|resolved|ok)$/i;
const failWords = /^(?:i|incorrect|wrong|fail(?:ed|ure)?|false|no|n|noanswer|unresolved|p|partial)$/i;

/**
 * The checks among scores: booleans whose direction is known, words, and numbers where the user says from which on they
 * pass. A number alone is a figure, and so is a boolean such as `flagged`: of some the best is 1, and of others 0. A score
 * that cannot be read where it counts could not be judged.
 */
function checksOf(scores: readonly NamedScore[], passAt: number | undefined): RecordedCheck[] {
  return scores.flatMap((score) => {
    const { name, value, reason } = score;
    const state = stateOf(score, passAt);
    if (state === undefined) return [];
    const figure = typeof value === 'number' ? figureOf(value) : undefined;
    const why = state === 'error' ? unreadable(score) : (reason ?? String(value));
    return [{ name, state, reason: why, ...(figure !== undefined && { value: figure }) }];
  });
}

interface ScoredTrial {
  readonly verdict: RecordedVerdict | undefined;
  readonly checks: readonly RecordedCheck[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** The meaning of the scores of a trial: its verdict, the checks where there are several, and the figures. */
export function scored(judging: readonly NamedScore[], passAt: number | undefined, all = judging): ScoredTrial {
  const checks = checksOf(judging, passAt);
  return { verdict: verdictOfChecks(checks), checks: checks.length > 1 ? checks : [], metrics: figuresOf(all) };
}

/** The numbers among scores. */
function figuresOf(scores: readonly NamedScore[]): Record<string, number> {
  const figures = scores.flatMap(({ name, value }) => {
    const figure = typeof value === 'number' ? figureOf(value) : undefined;
    return figure === undefined ? [] : [[name, figure] as const];
  });
  return Object.fromEntries(figures);
}

/** A trial passes when all of its checks do; undefined without checks. */
export function verdictOfChecks(checks: readonly RecordedCheck[]): RecordedVerdict | undefined {
  const [first] = checks;
  if (!first) return undefined;
  const deciding =
    checks.find(({ state }) => state === 'fail') ?? checks.find(({ state }) => state !== 'pass') ?? first;
  const { name, state, reason, value } = deciding;
  const isAll = state === 'pass' && checks.length > 1;
  return {
    state,
    reason: isAll ? `all ${checks.length} scores passed` : `${name}: ${reason}`,
    ...(value !== undefined && checks.length === 1 && { value }),
  };
}

function stateOf({ name, value, meaning, isCategory }: NamedScore, passAt: number | undefined): Check | undefined {
  if (typeof value === 'boolean') return isUpward(name, meaning) ? (value ? 'pass' : 'fail') : undefined;
  if (meaning === 'verdict') return 'error';
  if (typeof value === 'number' && Number.isFinite(value)) {
    return passAt === undefined ? undefined : value >= passAt ? 'pass' : 'fail';
  }
  const word = nameOf(value)?.trim() ?? '';
  if (passWords.test(word)) return 'pass';
  if (failWords.test(word)) return 'fail';
  return passAt === undefined || isCategory ? undefined : 'error';
}

type Check = 'pass' | 'fail' | 'error';

function unreadable({ value, meaning }: NamedScore): string {
  return `${JSON.stringify(value ?? null)} is not ${meaning === 'verdict' ? 'true or false' : 'a number'}`;
}

const goodWords =
  /(?:^|_)(?:correct(?:ness)?|pass(?:ed)?|success(?:ful)?|succeeded|resolved|solved|accepted|accurate|accuracy|valid|ok)(?:_|$)/;
const badWords =
  /(?:^|_)(?:in|un|not|no|non|bad|fail(?:ed|ure|s)?|errors?|wrong|toxic(?:ity)?|bias(?:ed)?|unsafe|refus(?:al|ed)|halluc\w*)(?:_|$)/;

/** Whether `true` is better than `false`, by the name of a score or what its program does with it. */
function isUpward(name: string, meaning: NamedScore['meaning']): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return meaning === 'verdict' || (!badWords.test(words) && (meaning === 'higher' || goodWords.test(words)));
}

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
