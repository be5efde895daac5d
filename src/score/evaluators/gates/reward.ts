import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { Rewards, StepRewards } from '../../../domain/gate.ts';
import { decisiveReward, readRewards } from '../../../drive/workspace/reward-files.ts';
import { commandConfig, defineGate, type GateContext, GateFailure, type GateVerdict } from './gate.ts';
import { failureOf, outputOf, quoted, runCommand } from './run-command.ts';

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
    steps: z
      .enum(['mean', 'final'])
      .optional()
      .describe(
        'of a task in steps, whose commands have run: the mean of their rewards, or that of the last step that was reached',
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
    if (config.steps !== undefined)
      return verdictOfSteps(config.steps, config.threshold, context.workspace.stepRewards);
    const value = await rewardOf(config, context);
    const message = `the reward is ${value}, wanted at least ${config.threshold}`;
    return { passed: value >= config.threshold, message, value, detail: { reward: value } };
  },
});

/** A step that was not reached is not a pass, whatever the reward of the others is. */
function verdictOfSteps(how: 'mean' | 'final', threshold: number, steps: StepRewards | undefined): GateVerdict {
  if (!steps || steps.reached.length === 0)
    throw noReward('steps get theirs while the trial runs, and this trial has none');
  const { reached, notReached } = steps;
  const value = decisiveReward(
    how === 'final' ? (reached.at(-1)?.rewards ?? {}) : meanOf(reached.map((step) => step.rewards)),
  );
  if (typeof value === 'string') throw noReward(value);
  const missed = notReached.length > 0 ? `; not reached: ${notReached.join(', ')}` : '';
  const message = `the reward is ${value}, wanted at least ${threshold}${missed}`;
  const detail = { reward: value, steps: reached, ...(missed !== '' && { not_reached: notReached }) };
  return { passed: value >= threshold && missed === '', message, value, detail };
}

/** A number that a step did not give counts as 0 in its mean. */
function meanOf(steps: readonly Rewards[]): Rewards {
  const names = [...new Set(steps.flatMap((rewards) => Object.keys(rewards)))];
  const sum = (name: string): number => steps.reduce((total, rewards) => total + (rewards[name] ?? 0), 0);
  return Object.fromEntries(names.map((name) => [name, sum(name) / steps.length]));
}

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
  const rewards = await readRewards(logs);
  return typeof rewards === 'string' ? rewards : decisiveReward(rewards);
}

const goodStates: ReadonlySet<string> = new Set(['PASSED', 'XFAIL']);

/** The share of tests that passed, by the short summary that `pytest -rA` prints; skipped tests do not count. */
function rewardInSummary(output: string): Found {
  const [, summary] = output.split(/^=+ short test summary info =+$/m);
  const states = summary?.match(/^(?:PASSED|FAILED|ERROR|XFAIL|XPASS)(?= )/gm) ?? [];
  if (states.length === 0) return 'it printed no summary of pytest with results; run pytest with `-rA`';
  return states.filter((state) => goodStates.has(state)).length / states.length;
}
