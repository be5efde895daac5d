import type { Command } from 'commander';
import type { JudgeFlags } from '../../../compose/judge/judging.ts';
import { listOption, numberOption, textOption } from './values.ts';

/** Flags of every command that may ask a judge. */
export interface JudgeOptions {
  readonly judge?: boolean;
  readonly llm?: boolean;
  readonly llmJudge?: boolean;
  readonly judgeModel?: string[];
  readonly judgeAlways?: boolean;
  readonly judgeProbes?: boolean;
  readonly cache?: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly maxUsd?: number;
}

/** How models are reached: which, recorded or replayed, for how much at most. */
export function addModelOptions(command: Command): void {
  command
    .option('--judge-model <models>', 'who judges, as provider/model; several vote', listOption)
    .option('--record <dir>', 'keep every reply of a model in this folder', textOption)
    .option('--replay <dir>', 'answer from recordings only; with --record, ask for what is missing', textOption)
    .option('--max-usd <x>', 'ask no model when that could cost more than this', numberOption(0, 1_000_000));
}

/** Whether and how the judge is asked during a run. */
export function addJudgeOptions(command: Command): void {
  addModelOptions(command);
  command
    .option('--judge', 'ask the judge even where a file switches it off')
    .option('--no-judge', 'ask no judge')
    .option('--llm, --llm-judge', 'the same as --judge')
    .option('--judge-always', 'ask even when an assertion has failed; it stays failed')
    .option('--judge-probes', 'first see that the judge rejects an empty answer')
    .option('--no-cache', 'ignore cached trials and cached verdicts: no reuse of either');
}

/** The flags as the composition reads them. */
export function judgeFlags(options: JudgeOptions): JudgeFlags {
  return {
    isWanted: options.llmJudge || options.llm ? true : options.judge,
    models: options.judgeModel,
    always: options.judgeAlways,
    probes: options.judgeProbes,
    cache: options.cache === false ? false : undefined,
    record: options.record,
    replay: options.replay,
    maxUsd: options.maxUsd,
  };
}
