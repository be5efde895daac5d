import { running, scoring } from './commands.ts';
import { judgePrompts } from './judge-prompt.ts';
import type { RunOption } from './run-option.ts';

const judging = [...running, ...scoring] as const;
const kept = ['resume', 'again'] as const;

const usual = {
  ways: ['cli', 'api'],
  commands: judging,
  keptBy: kept,
  distributed: true,
  section: 'Agents and models',
} as const;

/** Whether and how judges are used. */
export const judgeOptions = [
  {
    ...usual,
    key: 'judge',
    flag: '--judge',
    aliases: [
      { flag: '--no-judge', value: false, help: 'do not run the judge', common: true },
      { flag: '--llm', value: true },
      { flag: '--llm-judge', value: true },
    ],
    label: 'Run the judge',
    help: 'run the judge even if the scenario disables it',
    without: 'as the scenario says',
    value: { kind: 'switch' },
    ways: ['cli', 'api', 'mcp', 'form'],
  },
  {
    ...usual,
    key: 'judgeModels',
    flag: '--judge-model <models>',
    help: 'judge model, as provider/model; give several for a panel',
    without: 'the model of the scenario, then `LLM_TOOL_TEST_JUDGE`, then `judge.model` of the config',
    example: 'openai/gpt-4o',
    value: { kind: 'names' },
    ways: ['cli', 'api', 'mcp'],
    commands: [...judging, 'score judge'],
    common: true,
  },
  {
    ...usual,
    key: 'judgePrompt',
    flag: '--judge-prompt <rules>',
    help: 'rules that the judge is given: lean, or long',
    without: '`judge.prompt` of the config: `lean`',
    example: 'long',
    value: { kind: 'choice', of: judgePrompts },
  },
  {
    ...usual,
    key: 'judgeAlways',
    flag: '--judge-always',
    help: 'run the judge even after a failed assertion',
    value: { kind: 'switch' },
  },
  {
    ...usual,
    key: 'judgeProbes',
    flag: '--judge-probes',
    help: 'check first that the judge rejects an empty answer',
    value: { kind: 'switch' },
  },
  {
    ...usual,
    key: 'batch',
    flag: '--batch',
    help: 'let the judge answer in a batch at half the price; --resume fetches the verdicts within a day',
    value: { kind: 'switch' },
    ways: ['cli'],
    commands: ['run'],
    keptBy: ['resume'],
    distributed: 'each worker would send its own batches.',
    excludes: ['record', 'replay', 'judgeProbes', 'maxUsd'],
  },
] as const satisfies readonly RunOption[];
