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
