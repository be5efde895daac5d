import type { Project } from '../../../compose/config/project.ts';
import { pathsWithin } from '../../../compose/run/prepare-run.ts';
import { type StartOptions, startOptions } from '../../../compose/run/start-options.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { StartRun } from '../api/runs.ts';

/** The options of a request, with those of an earlier run or an eval that it names; its paths must be in the project. */
export function optionsOf(wish: StartRun, project: Project, store: Store): Promise<StartOptions> {
  const paths = wish.paths && pathsWithin(wish.paths, project.folder, project);
  return startOptions({ ...wish, paths }, 'api', { project, withStore: (use) => use(store) });
}
