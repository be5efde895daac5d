import type { Project } from '../../../../compose/config/project.ts';
import type { RunOptions } from '../../../../domain/option-values.ts';
import type { CollectedSide } from '../../../../report/compare/collected-side.ts';
import type { BaselineCheck } from '../../../../report/compare/regressions.ts';
import type { StoredRun } from '../../../../report/reporters/reporter.ts';
import { type CliContext, hasColor, write } from '../../context.ts';

/** Read before the run begins: a baseline that is not there costs nothing then, and `latest` is not the run itself. */
export async function baselineOf(
  { baseline, store }: RunOptions,
  project: Project,
  context: CliContext,
): Promise<CollectedSide | undefined> {
  if (baseline === undefined) return undefined;
  const { findBaseline } = await import('../../check-baseline.ts');
  const { sidePlaces } = await import('../../project-store.ts');
  await using places = sidePlaces(context, store, project);
  return await findBaseline(baseline, places);
}

/** How a run stands beside a baseline, where there is one and the run came to its end. */
export async function checkedAgainst(
  baseline: CollectedSide | undefined,
  run: StoredRun,
  { maxCostRise, anyBreak, question }: RunOptions,
): Promise<BaselineCheck | undefined> {
  if (!baseline || run.summary.run.status === 'interrupted') return undefined;
  const { checkRun } = await import('../../check-baseline.ts');
  return checkRun(run, baseline, { maxCostRise, anyBreak, question });
}

/** Prints the regressions and gives the exit code of both the run and the check. */
export async function printCheck(
  check: BaselineCheck | undefined,
  exitCode: number,
  context: CliContext,
): Promise<number> {
  if (!check) return exitCode;
  const { baselineExitCode, regressionText } = await import('../../check-baseline.ts');
  await write(context.stderr, regressionText(check, hasColor(context.stderr, context.env)));
  const kept = baselineExitCode(check);
  // A wrong request counts more than a failure, and a failure more than what could not be judged.
  return [2, 1, 3].find((code) => exitCode === code || kept === code) ?? exitCode;
}
