import { join, resolve } from 'node:path';
import { collected, findSide } from '../../../compose/compare/find-side.ts';
import { twoSides } from '../../../compose/compare/two-sides.ts';
import { openProject } from '../../../compose/config/project.ts';
import { casesOfRun } from '../../../compose/run/cases-of-run.ts';
import { findReporters, writeReportFile } from '../../../compose/run/write-reports.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { notRunText, summarizeRun } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import { checkRegressions } from '../../../report/compare/regressions.ts';
import { collectSide } from '../../../report/compare/side-collector.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { sidesOfRun, tableOfSides } from '../../../report/compare/variants/variants-of-run.ts';
import type { Reporter, StoredRun } from '../../../report/reporters/reporter.ts';
import type { CliCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { write } from '../context.ts';
import { listOption, textOption } from '../options/values.ts';
import { byOption } from '../options/variant-part.ts';
import type { OpenPlaces } from '../project-store.ts';
import { sidePlaces, storeOption } from '../project-store.ts';
import { printReport, unwrittenText } from '../run-report.ts';

/** The two sides that a report compares. */
interface ReportedSides {
  /** Another run, which is what was; the reported one is what is new. */
  readonly compare?: string;
  /** Or the variants of the reported run by this part. */
  readonly by?: keyof Variant;
  readonly a?: string;
  readonly b?: string;
  readonly force?: boolean;
}

/** The comparison that a report includes; beside another run, also which cases are flaky or broken. */
async function reportComparison(
  sides: ReportedSides,
  run: RunHeader,
  places: OpenPlaces,
): Promise<Pick<StoredRun, 'comparison' | 'demands' | 'variants'>> {
  const { compare, by, force } = sides;
  if (by === undefined && (sides.a ?? sides.b) !== undefined)
    throw new AssayError('USAGE', '--a and --b name variants and require --by.');
  if (by !== undefined && compare !== undefined)
    throw new AssayError('USAGE', 'A report has one comparison: with another run, or by a part of the variants.');
  const store = await places.openStore();
  if (by !== undefined) {
    const variants = await sidesOfRun(run, store, by);
    if (variants.length > 2 && (sides.a ?? sides.b) === undefined)
      return { variants: tableOfSides(variants, run, { by, force }) };
    const { a, b, pairsOfVariants } = twoSides(variants, by, sides);
    return { comparison: compareCollected(a, b, { force, pairsOfVariants, withDetails: true }) };
  }
  if (compare === undefined) return {};
  const before = await collected(await findSide(compare, places));
  const now = await collectSide(storedSource(run, store));
  const check = checkRegressions(before, now, { force });
  return {
    comparison: compareCollected(before, now, { force, withDetails: true }),
    demands: { check },
  };
}

interface ReportOptions extends ReportedSides {
  readonly format?: readonly string[];
  readonly output?: string;
  readonly store?: string;
}

/** `assay report`: reports of a stored run, in any registered format. */
export const report: CliCommand = {
  configure(command) {
    command
      .argument('[run]', 'a run id, the beginning of one, `latest` or `latest~1`', 'latest')
      .option(
        '-f, --format <names>',
        'html, junit, markdown, json or another reporter; several with commas',
        listOption,
      )
      .option('-o, --output <dir>', 'folder for the files; - prints a single report', textOption)
      .option('--compare <other>', 'add a comparison with this earlier run to the HTML page', textOption)
      .addOption(byOption('compare the variants of the run by this part instead'))
      .option('--a <variant>', 'with --by: the "before" variant', textOption)
      .option('--b <variant>', 'with --by: the "after" variant', textOption)
      .option('--force', 'compare although the runs are not comparable')
      .option(...storeOption)
      .addHelpText(
        'after',
        '\nExamples:\n  assay report latest\n  assay report latest --format html,junit -o reports\n  assay report latest --format markdown -o - >> "$GITHUB_STEP_SUMMARY"\n',
      );
  },
  async run({ args, options: given, context }) {
    const options = given as ReportOptions;
    const project = await openProject(context.cwd, context.env);
    const names = options.format && options.format.length > 0 ? [...new Set(options.format)] : ['html'];
    const chosen = findReporters(names, project.parts.reporters);
    if (options.output === '-' && chosen.length > 1)
      throw new AssayError('USAGE', 'Only one report can be printed.', { hint: 'Name one format, or a folder.' });
    await using places = sidePlaces(context, options.store, project);
    const found = await storedRun(args[0] ?? 'latest', options, places);
    const stored = { ...found, caseOf: casesOfRun(found.summary.run, project, context.env) };
    const { run, totals } = stored.summary;
    if (totals.notRun > 0)
      await write(context.stderr, `  warning: ${notRunText(run, `${totals.notRun} of ${totals.planned} trials`)}\n`);
    if (options.output === '-') return await printReports(chosen, stored, context);
    const folder = options.output
      ? resolve(context.cwd, options.output)
      : join(project.folder, '.assay', 'reports', stored.summary.run.runId);
    return await writeReports(chosen, stored, folder, context);
  },
};

async function storedRun(name: string, options: ReportOptions, places: OpenPlaces): Promise<StoredRun> {
  const store = await places.openStore();
  const run = await requireRun(store, name);
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  if (options.compare === undefined && options.by === undefined && (options.a ?? options.b) === undefined)
    return { store, summary };
  return { store, summary, ...(await reportComparison(options, run, places)) };
}

/** A report of a run that lacks trials is not one of the whole run. */
function usualExitCode({ summary }: StoredRun): number {
  return summary.totals.notRun > 0 ? 3 : 0;
}

async function printReports(chosen: readonly Reporter[], run: StoredRun, context: CliContext): Promise<number> {
  for (const reporter of chosen) await printReport(reporter, run, context);
  return usualExitCode(run);
}

/** Prints where each report is; one that cannot be written keeps no other from being written. */
async function writeReports(
  chosen: readonly Reporter[],
  run: StoredRun,
  folder: string,
  context: CliContext,
): Promise<number> {
  let exitCode = usualExitCode(run);
  for (const reporter of chosen) {
    try {
      await write(context.stdout, `${await writeReportFile(reporter, run, folder)}\n`);
    } catch (error) {
      exitCode = 3;
      await write(context.stderr, `error: The ${unwrittenText(reporter, error)}`);
    }
  }
  return exitCode;
}
