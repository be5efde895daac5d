import type { SidePlaces } from '../../compose/compare/find-side.ts';
import type { Project } from '../../compose/config/project.ts';
import type { Store } from '../../keep/store/store.ts';
import { once } from '../../shared/async.ts';
import type { CliContext } from './context.ts';
import { openProjectStore } from './open-project-store.ts';

/** Where a command looks for runs, baselines and files; disposing of it closes the store, if it was opened. */
export interface OpenPlaces extends SidePlaces, AsyncDisposable {}

/** The places of a project; its store is opened once, and only when it is needed. */
export function sidePlaces(context: CliContext, storeFlag: string | undefined, project: Project): OpenPlaces {
  let opened: Promise<Store> | undefined;
  const openStore = once(() => {
    opened = openProjectStore(context, storeFlag, project);
    return opened;
  });
  return {
    cwd: context.cwd,
    folder: project.folder,
    openStore,
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
