import type { Project } from '../../../compose/config/project.ts';
import { evalRequest } from '../../../compose/run/eval-request.ts';
import { pathsWithin } from '../../../compose/run/prepare-run.ts';
import { requestAgain } from '../../../compose/run/run-again.ts';
import type { PartialRequest } from '../../../compose/run/run-project.ts';
import type { VariantChoice } from '../../../domain/run.ts';
import { requireTrial, type Store } from '../../../keep/store/store.ts';
import type { StartRun } from '../api/runs.ts';
import { Refusal } from '../refusal.ts';

/** The run of a request: scenarios, an eval, or an earlier run or trial whose options hold where it gives no others. */
export async function requestOf(
  wish: StartRun,
  project: Project,
  { store, folder }: { readonly store: Store; readonly folder: string },
): Promise<PartialRequest> {
  const { scenario, repeat, name, arms, from, failed, flaky, trial } = wish;
  if (from === undefined && !failed && !flaky && trial === undefined) {
    const ofEval = wish.eval === undefined ? undefined : evalRequest(wish.eval, project, variantsOf(wish));
    return { ...choiceOf(wish, project), arms, scenario, repeat, name, ...ofEval };
  }
  if (wish.eval !== undefined) {
    throw new Refusal(400, 'REQUEST_INVALID', '`eval` cannot be combined with an earlier run or trial.', {
      hint: 'Leave out `eval`: the run keeps the options of the earlier one.',
    });
  }
  const ofTrial = trial === undefined ? undefined : await requireTrial(store, trial);
  const run = ofTrial?.runId ?? from ?? 'latest';
  const again = await requestAgain({ run, failed, flaky, trial: ofTrial?.trialId }, { store, folder });
  return {
    ...again,
    paths: pathsWithin(wish.paths ?? again.paths, project.folder, project),
    tags: wish.tags ?? again.tags,
    scenario: scenario ?? again.scenario,
    variants: variantsOf(wish) ?? again.variants,
    arms: arms ?? again.arms,
    repeat: repeat ?? again.repeat,
    name,
  };
}

/** The scenarios and variants of a request. */
export function choiceOf(wish: RunChoice, project: Project) {
  const paths = pathsWithin(wish.paths, project.folder, project);
  return { paths, tags: wish.tags, variants: variantsOf(wish) };
}

type RunChoice = Pick<StartRun, 'paths' | 'tags' | 'agents' | 'models' | 'connectors'>;

function variantsOf({ agents = [], models = [], connectors = [] }: RunChoice): VariantChoice | null {
  if (agents.length + models.length + connectors.length === 0) return null;
  return { agents, models, connectors, profile: null, targetBinary: null, connectorUrl: null };
}
