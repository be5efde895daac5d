import { join, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import { uncalibratedWarning } from '../../compose/judge/calibrations.ts';
import { casesOfRun } from '../../compose/run/cases-of-run.ts';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { asAssayError } from '../../domain/errors.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import { formatProblem, type Problem } from '../../domain/problem.ts';
import type { Emit, RunSummary } from '../../domain/run.ts';
import type { CiVerdict } from '../../report/compare/ci-verdict.ts';
import { consoleReporter, runTotalsText } from '../../report/reporters/console.ts';
import { jsonReporter } from '../../report/reporters/json.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import type { JudgeIdentity } from '../../score/judge/calibration.ts';
import { counted } from '../../shared/format.ts';
import { type CliContext, styleOf, write, writeText } from './context.ts';

/** Where reports go. */
type ReportOptions = Pick<RunOptions, 'output' | 'json' | 'quiet'>;

/**
 * A single report goes to stdout unless a folder was named; several go into files, the console's to stdout.
 * Totals and run id are always printed, unless plain JSON or nothing was requested. Returns whether all could be written: one that could not changes no verdict, for the run is in the store.
 */
export async function reportRun(
  run: StoredRun,
  chosen: readonly Reporter[],
  options: ReportOptions,
  project: Project,
  context: CliContext,
): Promise<boolean> {
  let isReported = true;
  const goesToStdout = (reporter: Reporter): boolean =>
    reporter.name === 'console' || (reporter === jsonReporter && options.json === true);
  if (options.output && chosen.every(goesToStdout)) {
    context.stderr.write('  warning: nothing was written to --output: name reports, such as --reporter junit,html\n');
  }
  const withCases = { ...run, caseOf: casesOfRun(run.summary.run, project, context.env) };
  const folder = options.output
    ? resolve(context.cwd, options.output)
    : project.config.output && resolve(project.folder, project.config.output);
  const defaultFolder = join(project.folder, '.assay', 'reports', run.summary.run.runId);
  for (const reporter of chosen) {
    const isForStdout = goesToStdout(reporter) || (chosen.length === 1 && !folder);
    try {
      if (isForStdout) await printReport(reporter, withCases, context);
      else
        context.stderr.write(
          `  ${reporter.name} report: ${await writeReportFile(reporter, withCases, folder ?? defaultFolder)}\n`,
        );
    } catch (error) {
      isReported = false;
      context.stderr.write(`  warning: the ${unwrittenText(reporter, error)}`);
    }
  }
  if (!options.json && !options.quiet && !chosen.includes(consoleReporter)) {
    await writeText(context.stderr, await runTotalsText(run, styleOf(context.stderr, context.env)));
  }
  return isReported;
}

/** Prints a report; the one for people fits the terminal. */
export async function printReport(reporter: Reporter, run: StoredRun, { stdout, env }: CliContext): Promise<void> {
  const print = reporter === consoleReporter ? writeText : write;
  for await (const piece of reporter.render(run, styleOf(stdout, env))) await print(stdout, piece);
}

/** Prints the warnings of files that can be run but probably contain a mistake. */
export async function printWarnings(warnings: readonly Problem[], { stderr }: CliContext): Promise<void> {
  for (const warning of warnings) await write(stderr, `  warning: ${formatProblem(warning)}\n`);
}

/** Every exit code, with its meaning for a run; other commands use them alike. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'everything that counts passed',
  1: 'something failed, or became worse than the baseline',
  2: 'the request or a file is wrong: nothing was run, or no trial could be judged for it',
  3: 'something could not be judged, and nothing failed',
  130: 'the user interrupted the command',
};

/** One of `exitCodes`; without a verdict, every trial must have passed. */
export function exitCodeOf(summary: RunSummary, verdict: Pick<CiVerdict, 'outcome'> = summary): number {
  if (summary.run.status === 'interrupted') return 130;
  if (isUnusable(summary)) return 2;
  return { pass: 0, fail: 1, error: 3 }[verdict.outcome];
}

/** Whether the files are wrong for every trial: one that could be judged says more than that. */
function isUnusable({ fileFaults, totals: { pass, fail, error } }: RunSummary): boolean {
  return fileFaults > 0 && fileFaults >= pass + fail + error;
}

/** Limits the number of different notices; a run can have any number of trials. */
const mostNotices = 5;

/** Collects what is reported about the judge after a run: where a pass was not judged, and what the judge warned of. */
export class JudgeNotices {
  readonly #skipped = new Map<string, number>();
  readonly #warned = new Map<string, number>();
  readonly #calibrated: readonly JudgeIdentity[] | undefined;

  /** `calibrated`: the judges that were compared with people, if any ever was. */
  constructor(calibrated: readonly JudgeIdentity[] | undefined) {
    this.#calibrated = calibrated;
  }

  readonly listen: Emit = (event) => {
    if (event.type !== 'trial-finished' || !event.record.judge) return;
    const { record } = event;
    const { warnings } = event.record.judge;
    if (isPartlyJudged(record) && record.fault) count(this.#skipped, record.fault.message);
    const uncalibrated = uncalibratedWarning(this.#calibrated, event.record.judge);
    for (const warning of [...warnings, ...(uncalibrated ? [uncalibrated] : [])]) count(this.#warned, warning);
  };

  text(): string {
    const skipped = [...this.#skipped].map(([reason, times]) => `  ${counted(times, 'trial')}: ${reason}\n`);
    const warned = [...this.#warned].map(
      ([warning, times]) => `  warning from the judge (${counted(times, 'trial')}): ${warning}\n`,
    );
    return [...skipped, ...warned].join('');
  }
}

function count(notices: Map<string, number>, notice: string): void {
  if (notices.has(notice) || notices.size < mostNotices) notices.set(notice, (notices.get(notice) ?? 0) + 1);
}

/** Why nothing can be written to a place. */
const placeHints: Readonly<Record<string, string>> = {
  ENOTDIR: 'Name a folder with -o: a part of this path is a file.',
  EEXIST: 'Name a folder with -o: a part of this path is a file.',
  EISDIR: 'Name a file: this path is a folder.',
  EACCES: 'Name a folder with -o in which you may write.',
  EPERM: 'Name a folder with -o in which you may write.',
  EROFS: 'Name a folder with -o on a file system that is not read-only.',
};

/** Why a report is missing, and how to get it. */
export function unwrittenText({ name }: Pick<Reporter, 'name'>, error: unknown): string {
  const { message, hint: usual } = asAssayError(error, 'OUTPUT_UNWRITABLE');
  const { code = '' } = error as NodeJS.ErrnoException;
  const hint = (Object.hasOwn(placeHints, code) ? placeHints[code] : undefined) ?? usual;
  return `${name} report could not be written: ${message}\n${hint ? `    ${hint}\n` : ''}`;
}
