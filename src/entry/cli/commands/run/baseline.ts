import type { Project } from '../../../../compose/config/project.ts';
import { AssayError } from '../../../../domain/errors.ts';
import type { CollectedSide } from '../../../../report/compare/collected-side.ts';
import type { StoredRun } from '../../../../report/reporters/reporter.ts';
import type { CliContext } from '../../context.ts';

/** Flags of `assay run` about a baseline. */
export interface BaselineOptions {
  readonly baseline?: string;
  readonly maxCostRise?: number;
  readonly anyBreak?: boolean;
  readonly store?: string;
}

/** Read before the run begins: a baseline that is not there costs nothing then, and `latest` is not the run itself. */
export async function baselineOf(
  { baseline, maxCostRise, store }: BaselineOptions,
  project: Project,
  context: CliContext,
): Promise<CollectedSide | undefined> {
  if (baseline === undefined) {
    if (maxCostRise === undefined) return undefined;
    throw new AssayError('USAGE', '--max-cost-rise requires --baseline.');
  }
  const { findBaseline } = await import('../../check-baseline.ts');
  const { sidePlaces } = await import('../../project-store.ts');
  await using places = sidePlaces(context, store, project);
  return await findBaseline(baseline, places);
}

/** The exit code of a run that was held against a baseline, where there is one and the run came to its end. */
export async function heldAgainst(
  baseline: CollectedSide | undefined,
  run: StoredRun,
  exitCode: number,
  { maxCostRise, anyBreak }: BaselineOptions,
  context: CliContext,
): Promise<number> {
  if (!baseline || run.summary.run.status === 'interrupted') return exitCode;
  const { reportRegressions } = await import('../../check-baseline.ts');
  const kept = await reportRegressions(run, baseline, { maxCostRise, anyBreak }, context);
  // A wrong request counts more than a failure, and a failure more than what could not be judged.
  return [2, 1, 3].find((code) => exitCode === code || kept === code) ?? exitCode;
}
