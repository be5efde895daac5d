import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rewards } from '../../domain/gate.ts';
import { isRecord } from '../../shared/json.ts';
import { cutMiddle, printable, wellFormed } from '../../shared/text.ts';

const largestRewardBytes = 65_536;
const longestExcerpt = 300;

/** The rewards among the logs of a verifier, or why there are none. */
export async function readRewards(logs: string): Promise<Rewards | string> {
  const json = await readOwn(join(logs, 'verifier', 'reward.json'));
  if (json !== undefined) return rewardsInJson(json);
  const text = await readOwn(join(logs, 'verifier', 'reward.txt'));
  if (text === undefined) return 'it wrote neither reward.json nor reward.txt';
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? { reward: value } : `reward.txt is not a number: ${excerptOf(text)}`;
}

/** The number called `reward`, or else the only one; or why there is none. */
export function decisiveReward(rewards: Rewards): number | string {
  const numbers = Object.entries(rewards);
  const found = numbers.find(([name]) => name === 'reward') ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (found) return found[1];
  if (numbers.length === 0) return 'reward.json has no number';
  return `reward.json has several numbers and no \`reward\`: ${shortened(numbers.map(([name]) => name).join(', '))}`;
}

function rewardsInJson(text: string): Rewards | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return `reward.json is not JSON: ${excerptOf(text)}`;
  }
  if (!isRecord(parsed)) return 'reward.json is not an object';
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

/** Undefined if it is not a regular file; links are not followed. */
async function readOwn(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(largestRewardBytes), 0, largestRewardBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return wellFormed(printable(cutMiddle(text.trim(), longestExcerpt)));
}

function excerptOf(text: string): string {
  return `"${shortened(text)}"`;
}
