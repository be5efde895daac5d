import type { Command } from 'commander';
import { Threads } from '../../../../drive/targets/call/threads.ts';
import type { CliCommand } from '../../command.ts';
import { addAgentOptions } from '../../options/agents.ts';
import { addJudgeOptions } from '../../options/judge.ts';
import { addServerPartOptions } from '../../options/server-parts.ts';
import {
  hiddenOption,
  integerOption,
  listOption,
  numberOption,
  shareOption,
  textOption,
} from '../../options/values.ts';

/** `assay run`: from scenario files to stored verdicts, a report and an exit code. */
export const run: CliCommand = {
  configure,
  async run(invocation) {
    const threads = new Threads();
    threads.prepare();
    const { runScenarios } = await import('./run-scenarios.ts');
    return runScenarios(invocation, threads);
  },
};

function configure(command: Command): void {
  command
    .argument('[paths...]', 'scenario files or folders; by default those of the config')
    .option('--tags <tags>', 'only scenarios with any of these tags', listOption)
    .option('--tier <n>', 'only scenarios of this tier or below', integerOption(0))
    .option('-s, --scenario <name>', 'only the scenario with this name, or in this file', textOption)
    .option('--all', 'all scenarios of the config; the same as naming none')
    .option('--repeat <n>', 'run each case this often', integerOption(1, 10_000))
    .option('--concurrency <n>', 'trials at a time', integerOption(1, 1_000))
    .option('--timeout-secs <n>', 'time for one trial where its scenario sets none', numberOption(0, 86_400, true))
    .option('--min-pass-rate <x>', 'succeed when this share of the trials passed (0 to 1)', numberOption(0, 1))
    .option('--baseline <what>', 'hold the run against a baseline, an earlier run, or a file of either', textOption)
    .option('--max-cost-rise <share>', 'with --baseline: how much dearer a trial may be, such as 20%', shareOption)
    .option(
      '--any-break',
      'with --baseline: a check that broke counts, however few trials show it (tools that always do the same)',
    )
    .option('--resume <run>', 'finish an interrupted run (its id, or `latest`)', textOption)
    .option('--retry-errors', 'run trials again that ended in an error, in the run of --resume or else the latest')
    .option('--reuse', 'take over results of unchanged trials with CLI tools from earlier runs; never with repeats')
    .option('--dry-run', 'tell what would run, and run nothing')
    .option(
      '-r, --reporter <names>',
      'reports to write: console, json, junit, markdown, html, csv, github, github-comment, github-annotations, sarif, otlp',
      listOption,
    )
    .option('-o, --output <dir>', 'folder for report files', textOption)
    .option('--store <url>', 'where runs are kept')
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option('-q, --quiet', 'no progress and no notices');
  addDistributionOptions(command);
  addServerPartOptions(command);
  addAgentOptions(command);
  addJudgeOptions(command);
  command.addHelpText(
    'after',
    '\nOn several machines, with a Postgres store:\n  assay worker                          (on each of them)\n  assay run --distributed --repeat 10\n  assay run --distributed --detach --priority 5\n\nExit codes: 0 all passed, 1 something failed, 2 a file or the request is wrong,\n3 something could not be judged, 130 interrupted.\n',
  );
}

function addDistributionOptions(command: Command): void {
  command
    .option('--distributed', 'let workers run the trials (`assay worker`); needs a Postgres store')
    .option('--detach', 'with --distributed: do not wait; follow with `assay watch`')
    .option('--priority <n>', 'with --distributed: higher goes first', integerOption(-1_000, 1_000))
    .option('--worker-tags <tags>', 'with --distributed: only on workers with all of these tags', listOption)
    .addOption(hiddenOption('--attempts <n>', 'how often a trial may lose its worker', integerOption(1, 100)));
}
