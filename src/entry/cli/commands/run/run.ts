import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Threads } from '../../../../drive/targets/call/threads.ts';
import type { CliCommand } from '../../command.ts';
import { addAgentOptions } from '../../options/agents.ts';
import { addUntilOptions } from '../../options/experiment.ts';
import { questionOption } from '../../options/figures.ts';
import { addJudgeOptions } from '../../options/judge.ts';
import { addPaceOptions, addReportOptions, addSelectionOptions } from '../../options/run.ts';
import { addServerPartOptions } from '../../options/server-parts.ts';
import {
  armOption,
  hiddenOption,
  integerOption,
  listOption,
  nameOption,
  numberOption,
  shareOption,
  textOption,
} from '../../options/values.ts';

import { experimentOfRun } from './experiment-run.ts';

const longestRead = 65_536;

/** `assay run`: from scenario files to stored verdicts, a report and an exit code. */
export const run: CliCommand = {
  configure,
  async run(invocation) {
    if (invocation.options.watch) return (await import('./run-watched.ts')).runWatched(invocation);
    const experiment = await experimentOfRun(invocation.options);
    const threads = new Threads();
    if (mayCallModule(invocation.context.cwd, invocation.args)) threads.prepare();
    const { runScenarios } = await import('./run-scenarios.ts');
    return runScenarios(invocation, threads, experiment);
  },
};

/**
 * False where every named file can be read and none says `module`: a thread that is not needed takes as much processor
 * time as the rest of the start. A wrong guess costs time only, because a missing thread is started when it is needed.
 */
function mayCallModule(cwd: string, paths: readonly string[]): boolean {
  const files = paths.map((path) => resolve(cwd, path));
  if (files.length === 0 || !files.every(isQuicklyRead)) return true;
  try {
    return files.some((file) => readFileSync(file, 'utf8').includes('module'));
  } catch {
    return true;
  }
}

/** A pipe could not be read a second time, and reading a long file twice takes longer than a thread to start. */
function isQuicklyRead(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size < longestRead;
}

function configure(command: Command): void {
  command.optionsGroup('Scenarios and cases:');
  addSelectionOptions(command);
  command
    .option('--eval <name>', 'only the scenarios of this eval of the config, with its connector', textOption)
    .option('--all', 'run all scenarios of the config (default)')
    .option('--repeat <n>', 'run each case this many times', integerOption(1, 10_000))
    .option('--name <name>', 'name of the run, to find it again', nameOption);
  command.optionsGroup('How they run:');
  addUntilOptions(command);
  addPaceOptions(command);
  command
    .optionsGroup('Verdict:')
    .option('--min-pass-rate <x>', 'exit 0 if at least this share of trials passed (0 to 1)', numberOption(0, 1))
    .option('--baseline <what>', 'compare with a baseline, an earlier run, or an exported file', textOption)
    .option(
      '--max-cost-rise <share>',
      'with --baseline: allowed increase in mean cost per trial, e.g. 20%',
      shareOption,
    )
    .option(
      '--any-break',
      'with --baseline: report a broken assertion even if few trials show it (for deterministic tools)',
    )
    .addOption(questionOption())
    .optionsGroup('Earlier runs:');
  addEarlierRunOptions(command);
  command
    .option('--update-golden', 'write golden files that are missing or differ; read them before you commit them')
    .option('--watch', 'run again whenever a file of the project is saved')
    .option('--dry-run', 'show what would run, without running it')
    .optionsGroup('Reports:');
  addReportOptions(command);
  addDistributionOptions(command.optionsGroup('Several machines:'));
  addServerPartOptions(command.optionsGroup('MCP servers:'));
  addAgentOptions(command.optionsGroup('Agents and connectors:'));
  command.option('--arm <part=names>', 'run only these variants of the files, such as guidance=v1', armOption);
  addJudgeOptions(command.optionsGroup('Models and judge:'));
  command.option(
    '--batch',
    'let the judge answer in a batch at half the price; --resume fetches the verdicts within a day',
  );
  command.option('--record-digests', 'with --record: keep prompts of agents and their tools as digests');
  command
    .option('--record-tools <dir>', 'record every call of a tool in this folder', textOption)
    .option(
      '--replay-tools <dir>',
      'answer calls of MCP servers from this folder, in place of the servers',
      textOption,
    );
  command.addHelpText(
    'after',
    '\nOn several machines, with a Postgres store:\n  assay worker                          (on each of them)\n  assay run --distributed --repeat 10\n  assay run --distributed --detach --priority 5\n\nExit codes: 0 all passed, 1 something failed, 2 a file or the request is wrong,\n3 something could not be judged, 130 interrupted.\n',
  );
}

function addEarlierRunOptions(command: Command): void {
  command
    .option('--failed', 'run only the cases again that failed in the latest run, or in the run of --from')
    .option('--flaky', 'run only the cases again that passed in some trials and failed in others')
    .option(
      '--from <run>',
      'run this run again with its options (its id, or `latest~1`); with --failed or --flaky: only those cases',
      textOption,
    )
    .option('--resume <run>', 'finish an interrupted run (its id, `latest` or `latest~1`)', textOption)
    .option('--retry-errors', 'run trials again that ended in an error, in the run of --resume or the latest')
    .option('--reuse', 'reuse unchanged CLI-tool trials and verdicts of judges from earlier runs (never with repeats)');
}

function addDistributionOptions(command: Command): void {
  command
    .option('--distributed', 'let workers (`assay worker`) run the trials; needs a Postgres store')
    .option('--detach', 'with --distributed: do not wait; follow with `assay watch`')
    .option('--priority <n>', 'with --distributed: run higher priorities first', integerOption(-1_000, 1_000))
    .option('--worker-tags <tags>', 'with --distributed: only on workers with all of these tags', listOption)
    .addOption(hiddenOption('--attempts <n>', 'attempts per trial when workers are lost', integerOption(1, 100)));
}
