import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Threads } from '../../../../drive/targets/call/threads.ts';
import type { CliCommand } from '../../command.ts';
import { addRunOptions } from '../../options/run-options.ts';

const longestRead = 4_194_304;

/** `assay run`: from scenario files to stored verdicts, a report and an exit code. */
export const run: CliCommand = {
  configure,
  async run(invocation) {
    if (invocation.options.watch) return (await import('./run-watched.ts')).runWatched(invocation);
    const threads = new Threads();
    if (mayCallModule(invocation.context.cwd, invocation.args)) threads.prepare();
    const { runScenarios } = await import('./run-scenarios.ts');
    return runScenarios(invocation, threads);
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
  addRunOptions(command, 'run');
  command.addHelpText(
    'after',
    '\nOn several machines, with a Postgres store:\n  assay queue worker                          (on each of them)\n  assay run --distributed --repeat 10\n  assay run --distributed --detach --priority 5\n\nExit codes: 0 all passed, 1 something failed, 2 a file or the request is wrong,\n3 something could not be judged, 130 interrupted.\n',
  );
}
