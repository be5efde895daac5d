import { join, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { formatPosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { jsonReporter } from '../../report/reporters/json.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { type CliContext, hasColor, write } from './context.ts';

/** Where reports go. */
export interface ReportOptions {
  readonly output?: string;
  readonly json?: boolean;
}

/**
 * A single report goes to stdout unless a folder was named; several go into files, the console's to stdout. Tells
 * whether all could be written: one that could not changes no verdict, for the run is in the store.
 */
export async function reportRun(
  run: StoredRun,
  chosen: readonly Reporter[],
  options: ReportOptions,
  project: Project,
  context: CliContext,
): Promise<boolean> {
  let isReported = true;
  const folder = options.output
    ? resolve(context.cwd, options.output)
    : project.config.output && resolve(project.folder, project.config.output);
  const defaultFolder = join(project.folder, '.assay', 'reports', run.summary.run.runId);
  for (const reporter of chosen) {
    const isForStdout =
      reporter.name === 'console' || (reporter === jsonReporter && options.json) || (chosen.length === 1 && !folder);
    try {
      if (isForStdout) await printReport(reporter, run, context);
      else
        context.stderr.write(
          `  ${reporter.name} report: ${await writeReportFile(reporter, run, folder ?? defaultFolder)}\n`,
        );
    } catch (error) {
      isReported = false;
      context.stderr.write(`  warning: the ${reporter.name} report could not be written: ${String(error)}\n`);
    }
  }
  return isReported;
}

async function printReport(reporter: Reporter, run: StoredRun, { stdout, env }: CliContext): Promise<void> {
  for await (const piece of reporter.render(run, { color: hasColor(stdout, env) })) await write(stdout, piece);
}

/** Tells what can be run but is hardly meant as it is written. */
export async function tellWarnings(warnings: readonly Problem[], { stderr }: CliContext): Promise<void> {
  for (const { at, message, hint } of warnings) {
    await write(stderr, `  warning: ${formatPosition(at)}: ${message}${hint ? ` ${hint}` : ''}\n`);
  }
}
