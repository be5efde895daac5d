import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { excerptOf, shortened } from '../excerpt.ts';
import { commandConfig, defineGate, type GateContext, GateFailure } from './gate.ts';
import { failureOf, outputOf, quoted, runCommand } from './run-command.ts';

const largestRewardBytes = 65_536;

const configSchema = () =>
  commandConfig().extend({
    timeout_secs: z.number().positive().max(86_400).default(600).describe('time limit of the command, in seconds'),
    threshold: z.number().default(1).describe('lowest reward that passes'),
    env: z.record(z.string(), z.string()).default({}).describe('further environment variables of the command'),
    from: z
      .enum(['reward-file', 'pytest'])
      .default('reward-file')
      .describe(
        'where the reward is: in `verifier/reward.json` or `reward.txt` of the logs, or in a summary of pytest',
      ),
  });

type Config = z.output<ReturnType<typeof configSchema>>;

/** The verifier of a task folder: a run without a reward says nothing about the work, so it is an error. */
export const reward = defineGate({
  type: 'reward',
  summary: 'a verifier gives a reward of at least the threshold; no reward is an error',
  example: { command: '/tests/test.sh' },
  configSchema,
  async check(config, context) {
    const value = await rewardOf(config, context);
    const message = `the reward is ${value}, wanted at least ${config.threshold}`;
    return { passed: value >= config.threshold, message, value, detail: { reward: value } };
  },
});

async function rewardOf(config: Config, context: GateContext): Promise<number> {
  const { workspace } = context;
  const command = quoted(config.command);
  try {
    const end = await runCommand(config, context);
    if (end.timedOut) throw noReward(failureOf(config, end) ?? `${command} was stopped`);
    const found =
      config.from === 'pytest'
        ? rewardInSummary(outputOf(config.command, end).parts.join('\n'))
        : await rewardInFiles(workspace.logsFolder);
    if (typeof found === 'number') return found;
    throw noReward(`${found}; ${failureOf(config, end) ?? `${command} exited with 0`}`);
  } catch (error) {
    throw error instanceof GateFailure ? noReward(error.message) : error;
  }
}

function noReward(reason: string): AssayError {
  return new AssayError('NO_REWARD', `The verifier gave no reward: ${reason}`);
}

/** The reward, or why there is none. */
type Found = number | string;

async function rewardInFiles(logs: string | undefined): Promise<Found> {
  if (logs === undefined) return 'rewards are files of a container, and the trial had none';
  const json = await readOwn(join(logs, 'verifier', 'reward.json'));
  if (json !== undefined) return rewardInJson(json);
  const text = await readOwn(join(logs, 'verifier', 'reward.txt'));
  if (text === undefined) return 'it wrote neither reward.json nor reward.txt';
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : `reward.txt is not a number: ${excerptOf(text)}`;
}

/** The number called `reward`, or else the only one. */
function rewardInJson(text: string): Found {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return `reward.json is not JSON: ${excerptOf(text)}`;
  }
  if (!isRecord(parsed)) return 'reward.json is not an object';
  const numbers = Object.entries(parsed).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  const found = numbers.find(([name]) => name === 'reward') ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (found) return found[1];
  if (numbers.length === 0) return 'reward.json has no number';
  return `reward.json has several numbers and no \`reward\`: ${shortened(numbers.map(([name]) => name).join(', '))}`;
}

/** Undefined where there is no plain file; links are not followed. */
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

const goodStates: ReadonlySet<string> = new Set(['PASSED', 'XFAIL']);

/** The share of tests that passed, by the short summary that `pytest -rA` prints; skipped tests do not count. */
function rewardInSummary(output: string): Found {
  const [, summary] = output.split(/^=+ short test summary info =+$/m);
  const states = summary?.match(/^(?:PASSED|FAILED|ERROR|XFAIL|XPASS)(?= )/gm) ?? [];
  if (states.length === 0) return 'it printed no summary of pytest with results; run pytest with `-rA`';
  return states.filter((state) => goodStates.has(state)).length / states.length;
}
