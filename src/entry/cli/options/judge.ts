import { type Command, Option } from 'commander';
import type { JudgeFlags } from '../../../compose/judge/judging.ts';
import { AssayError } from '../../../domain/errors.ts';
import { listOption, numberOption, textOption } from './values.ts';

/** Flags of every command that may use a judge. */
export interface JudgeOptions {
  readonly judge?: boolean;
  readonly llm?: boolean;
  readonly llmJudge?: boolean;
  readonly judgeModel?: string[];
  readonly judgeAlways?: boolean;
  readonly judgeProbes?: boolean;
  readonly cache?: boolean;
  readonly record?: string;
  readonly recordDigests?: boolean;
  readonly replay?: string;
  readonly maxUsd?: number;
  readonly batch?: boolean;
}

/** How models are reached: which, recorded or replayed, for how much at most. */
export function addModelOptions(command: Command): void {
  command
    .option('--judge-model <models>', 'judge model, as provider/model; give several for a panel', listOption)
    .option('--record <dir>', 'record every model reply in this folder', textOption)
    .option('--replay <dir>', 'answer from recordings only; with --record, call the model for missing ones', textOption)
    .option(
      '--max-usd <x>',
      'spending limit in USD; model calls that could exceed it are refused',
      numberOption(0, 1_000_000),
    );
}

/** Whether and how the judge is used during a run. */
export function addJudgeOptions(command: Command): void {
  addModelOptions(command);
  command
    .option('--judge', 'run the judge even if the scenario disables it')
    .option('--no-judge', 'do not run the judge')
    .option('--llm, --llm-judge', 'the same as --judge')
    .option('--judge-always', 'run the judge even after a failed assertion')
    .option('--judge-probes', 'check first that the judge rejects an empty answer')
    .addOption(new Option('--no-cache', 'reuse nothing of earlier runs, whatever files request').hideHelp());
}

/** The flags as the composition reads them. */
export function judgeFlags(options: JudgeOptions): JudgeFlags {
  return {
    isWanted: options.llmJudge || options.llm ? true : options.judge,
    models: options.judgeModel,
    always: options.judgeAlways,
    probes: options.judgeProbes,
    record: options.record,
    recordDigests: options.recordDigests,
    replay: options.replay,
    maxUsd: options.maxUsd,
    batch: options.batch,
  };
}

/** Refuses a flag that means nothing without --record. */
export function assertRecordOptions({ record, recordDigests }: JudgeOptions): void {
  if (recordDigests && record === undefined) throw new AssayError('USAGE', '--record-digests requires --record.');
}
