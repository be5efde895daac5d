import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evalStudioConfigFile, findConfig } from '../../compose/config/find-config.ts';
import { olderConfigName, openProject, type Project } from '../../compose/config/project.ts';
import { version } from '../../compose/program.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { openSqlStore, openStore } from '../../keep/store/open-store.ts';
import type { ProjectList } from './api/access.ts';
import type { ServerContext } from './context.ts';
import { LiveRuns } from './live/live-runs.ts';
import { SharedRuns } from './live/shared-runs.ts';
import { ProjectCache } from './project-cache.ts';
import { RunCache } from './run-cache.ts';
import { HeavyWork } from './work/heavy-work.ts';
import { Workbench } from './workbench/workbench.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The project of a folder, read again when its config is another than before. */
function currentProject(folder: string, env: Env): () => Promise<Project> {
  let current: { readonly stamp: string; readonly project: Promise<Project> } | undefined;
  return () => {
    const stamp = configStamp(folder);
    if (current?.stamp !== stamp) current = { stamp, project: openProject(folder, env) };
    return current.project;
  };
}

/** Changes when a config is written, replaced, made or removed. */
function configStamp(folder: string): string {
  const config = findConfig(folder);
  const projectFolder = config === undefined ? folder : dirname(config);
  const files = [config, join(projectFolder, olderConfigName), evalStudioConfigFile(projectFolder)];
  return files.map((file) => `${file}:${stampOf(file)}`).join('\n');
}

function stampOf(file: string | undefined): string {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs}:${found.size}:${found.ino}` : '';
}

/** The folder, environment and store to serve. */
export interface ContextOptions {
  /** The folder that the server is started in, in the project or below. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store that the command line names; otherwise the environment or the config does. */
  readonly storeUrl?: string | undefined;
  readonly tokens: ServerContext['tokens'];
  /** The projects of the workspace. */
  projects(): Promise<ProjectList>;
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
  const heavyWork = new HeavyWork(ending.signal);
  const projectCache = new ProjectCache({ folder, env, store, storeUrl, project, heavyWork });
  const workbench = new Workbench({ folder, env, project, scenarios: () => projectCache.scenarios.scenarios() });
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
    projectCache,
    runCache: new RunCache(store),
    workbench,
    heavyWork,
    suiteFiles: {
      files: projectCache.files,
      scenarioPaths: async () => (await project()).config.scenarios,
      scenarioNames: async () => (await projectCache.scenarios.scenarios()).map(({ name }) => name),
      filesWith: (session) => workbench.filesWith(session),
    },
    tokens: options.tokens,
    projects: options.projects,
    project,
  };
  return {
    context,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await workbench[Symbol.asyncDispose]();
      await runs[Symbol.asyncDispose]();
      await sharedRuns[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
