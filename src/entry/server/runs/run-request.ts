import type { Project } from '../../../compose/config/project.ts';
import { optionsWithin } from '../../../compose/run/prepare-run.ts';
import { startOptions } from '../../../compose/run/start-options.ts';
import type { StartOptions } from '../../../engine/feature.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { StartRun } from '../api/runs.ts';

/** The options of a request, with those of an earlier run or an eval that it names; its files must be in the project. */
export function optionsOf(wish: StartRun, project: Project, store: Store): Promise<StartOptions> {
  const options = optionsWithin(wish, project.folder, project);
  return startOptions(options, 'api', { project, withStore: (use) => use(store) });
}
