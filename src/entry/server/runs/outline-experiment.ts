import { outlineExperiment as outline } from '../../../compose/experiment/outline-experiment.ts';
import { selectScenarios } from '../../../compose/run/prepare-run.ts';
import { completeRequest } from '../../../compose/run/run-project.ts';
import type { ExperimentOutline, PlanExperiment } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { choiceOf } from './run-request.ts';

/** Plans an experiment on the scenarios of a request; nothing is run. */
export async function outlineExperiment(wish: PlanExperiment, context: ServerContext): Promise<ExperimentOutline> {
  const project = await context.project();
  const request = completeRequest(choiceOf(wish, project), project);
  const { scenarios } = await selectScenarios(request, project, { isJudgeForced: false, env: context.env });
  return outline(wish.experiment ?? {}, scenarios);
}
