import { version } from '../../compose/program.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { openSqlStore, openStore } from '../../keep/store/open-store.ts';
import type { ServerContext } from './context.ts';
import { currentProject } from './current-project.ts';
import { LiveRuns } from './live/live-runs.ts';
import { SharedRuns } from './live/shared-runs.ts';
import { ProjectDesk } from './project-desk.ts';
import { RunsDesk } from './runs-desk.ts';

/** What is served. */
export interface ContextOptions {
  /** The folder that the server is started in, in the project or below. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store that the command line names; otherwise the environment or the config does. */
  readonly storeUrl?: string | undefined;
}

/** A context that is open; disposing of it interrupts its runs and stores them. */
export interface OpenContext extends AsyncDisposable {
  readonly context: ServerContext;
}

/** Opens the project of a folder and its store. */
export async function openContext(options: ContextOptions): Promise<OpenContext> {
  const { env } = options;
  const project = currentProject(options.folder, env);
  const { folder, config } = await project();
  const storeUrl = options.storeUrl ?? env.ASSAY_STORE ?? config.store;
  const { store, db } = await openSqlStore(storeUrl, folder);
  const files = new StoredFiles(db);
  const runs = new LiveRuns({ store, files, env, project, openStore: () => openStore(storeUrl, folder) });
  const sharedRuns = new SharedRuns(storeUrl);
  const ending = new AbortController();
  const context: ServerContext = {
    folder,
    env,
    store,
    files,
    storeUrl,
    runs,
    sharedRuns,
    startedAt: Date.now(),
    version,
    signal: ending.signal,
    desk: new ProjectDesk({ folder, env, store, project }),
    runsDesk: new RunsDesk(store),
    project,
  };
  return {
    context,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await runs[Symbol.asyncDispose]();
      await sharedRuns[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
