import type { Command } from 'commander';
import { reporterOption } from './reporters.ts';
import { integerOption, listOption, numberOption, textOption } from './values.ts';

/** Options that choose the scenarios of a run. */
export function addSelectionOptions(command: Command): void {
  command
    .argument('[paths...]', 'scenario files or folders; by default those of the config')
    .option('--tags <tags>', 'only scenarios with any of these tags', listOption)
    .option('--tier <n>', 'only scenarios of this tier or below', integerOption(0))
    .option('-s, --scenario <name>', 'only the scenario with this name, or in this file', textOption);
}

/** Options of how fast trials run and when they are ended. */
export function addPaceOptions(command: Command): void {
  command
    .option('--concurrency <n>', 'trials to run at the same time', integerOption(1, 1_000))
    .option(
      '--timeout-secs <n>',
      'time limit per trial in seconds; a shorter one in its file holds',
      numberOption(0, 86_400, true),
    );
}

/** Options of where verdicts and reports go. */
export function addReportOptions(command: Command): void {
  command
    .option(...reporterOption)
    .option('-o, --output <dir>', 'folder for report files', textOption)
    .option('--store <url>', 'store for runs (SQLite file or Postgres URL)')
    .option('--json', 'print one JSON document on stdout')
    .option('-q, --quiet', 'print no progress and no notices');
}
