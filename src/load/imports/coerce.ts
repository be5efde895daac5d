import { isRecord } from '../../shared/json.ts';
import type { RecordedVerdict } from './import-format.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value as text: non-empty text, or a number. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The value as a finite number, from a number or text. */
export function figureOf(value: unknown): number | undefined {
  const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : undefined;
}

/** The first value that is a finite number of at least 0. */
export function amountOf(...values: readonly unknown[]): number | undefined {
  return values.map(figureOf).find((figure) => figure !== undefined && figure >= 0);
}

/** Milliseconds since 1970 of a time given as text, seconds, milliseconds, microseconds or nanoseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
    const parsed = Date.parse(value);
    return possibleTime(parsed);
  }
  const figure = figureOf(value) ?? Number.NaN;
  if (figure < 1e11) return possibleTime(figure * 1_000);
  if (figure < 1e14) return possibleTime(figure);
  return possibleTime(figure < 1e17 ? figure / 1_000 : figure / 1e6);
}

const latestMs = Date.UTC(9999, 0);

/** The time if it lies between 1970 and 9999. */
export function possibleTime(ms: number): number | undefined {
  return ms > 0 && ms < latestMs ? ms : undefined;
}

const rewardKeys = ['reward', 'final_reward', 'total_reward'];
const answerKeys = ['passed', 'pass', 'success', 'resolved', 'correct', 'is_correct'];
const outcomeKeys = ['outcome', 'verdict'];
/** Sums of fractions need not be exactly 1. */
const wholeReward = 1 - 1e-6;

/** The verdict in an object: a reward, a boolean, or an outcome in words. */
export function verdictIn(object: JsonObject): RecordedVerdict | undefined {
  const rewardKey = rewardKeys.find((key) => typeof object[key] === 'number' && Number.isFinite(object[key]));
  if (rewardKey !== undefined) return verdictOfReward(object[rewardKey] as number);
  const answerKey = answerKeys.find((key) => typeof object[key] === 'boolean');
  if (answerKey !== undefined) {
    const isPass = object[answerKey] === true;
    return { state: isPass ? 'pass' : 'fail', reason: `\`${answerKey}\` is ${isPass} in the file` };
  }
  return outcomeKeys.map((key) => verdictOfWord(object[key])).find((verdict) => verdict !== undefined);
}

/** A task passes when its reward is 1. */
export function verdictOfReward(reward: number): RecordedVerdict {
  return { state: reward >= wholeReward ? 'pass' : 'fail', reason: `reward ${reward}`, value: reward };
}

function verdictOfWord(value: unknown): RecordedVerdict | undefined {
  if (typeof value !== 'string') return undefined;
  const [, word = ''] = /^(pass|fail|error|skipped)(?:ed|ure)?\b/i.exec(value.trim()) ?? [];
  const state = (['pass', 'fail', 'error', 'skipped'] as const).find((state) => state === word.toLowerCase());
  return state && { state, reason: value.trim() };
}

const mostLevels = 200;

/** The value of a JSON text; undefined where it is invalid or nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, mostLevels) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** Approximate length of a value as JSON, without serialising it. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let characters = 2;
  for (const key in value) characters += key.length + 4 + charactersIn((value as Record<string, unknown>)[key]);
  return characters;
}
