import type { Project } from '../../compose/config/project.ts';
import type { StoredFiles } from '../../keep/bundles/stored-files.ts';
import type { Store } from '../../keep/store/store.ts';
import type { LiveRuns } from './live/live-runs.ts';
import type { SharedRuns } from './live/shared-runs.ts';
import type { ProjectDesk } from './project-cache.ts';
import type { RunsDesk } from './run-cache.ts';

/** What every route may use. */
export interface ServerContext {
  /** Absolute: the folder of the project. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  /** What trials on other machines left behind. */
  readonly files: StoredFiles;
  /** As the flag, the environment or the config names it; may hold a password. */
  readonly storeUrl: string;
  /** Those that go on in this process. */
  readonly runs: LiveRuns;
  readonly sharedRuns: SharedRuns;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly version: string;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
  /** What the routes about files, reviews and MCP servers keep between requests: `new ProjectDesk({ folder, env, store, project })`. */
  readonly desk: ProjectDesk;
  /** What the routes about runs and trials keep between requests. */
  readonly runsDesk: RunsDesk;
  /** The project as its files are now; a config that is wrong is thrown with its problems. */
  project(): Promise<Project>;
}
