import type { Feature, FeatureProject } from '../../engine/feature.ts';
import type { EvalProject } from './eval-request.ts';

/** `--eval`: the scenarios of an eval with its connector; its runs are numbered as its executions. */
export const evaluation: Feature = {
  name: 'eval',
  async complete(given, { project }) {
    if (given.eval === undefined) return given;
    const { evalOptions } = await import('./eval-request.ts');
    return { ...given, ...evalOptions(given.eval, { folder: project.folder, evals: evalsOf(project) }, given) };
  },
  async plan({ scenarios, request }, { options, project, store, resumed }) {
    if (options.eval === undefined || resumed !== undefined) return { scenarios, request };
    const { nextExecution } = await import('./eval-request.ts');
    return { scenarios, request: { ...request, execution: await nextExecution(project.folder, store) } };
  },
};

/** Checked by the schema of the config. */
function evalsOf({ config }: FeatureProject): EvalProject['evals'] {
  return (config as unknown as Pick<EvalProject, 'evals'>).evals;
}
