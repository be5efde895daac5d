import { outlineExperiment as outline } from '../../../compose/experiment/outline-experiment.ts';
import { pathsWithin, selectScenarios } from '../../../compose/run/prepare-run.ts';
import type { ExperimentOutline, PlanExperiment } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';

/** Plans an experiment on the scenarios of a request; nothing is run. */
export async function outlineExperiment(wish: PlanExperiment, context: ServerContext): Promise<ExperimentOutline> {
  const project = await context.project();
  const { experiment = {}, paths, ...options } = wish;
  const request = { ...options, paths: pathsWithin(paths, project.folder, project) };
  const { scenarios } = await selectScenarios(request, project, { env: context.env });
  return outline(experiment, scenarios);
}
