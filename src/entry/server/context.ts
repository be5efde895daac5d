import type { Project } from '../../compose/config/project.ts';
import type { StoredFiles } from '../../keep/bundles/stored-files.ts';
import type { Store } from '../../keep/store/store.ts';
import type { IssuedTokens } from './access/issued-tokens.ts';
import type { ProjectList } from './api/access.ts';
import type { LiveRuns } from './live/live-runs.ts';
import type { SharedRuns } from './live/shared-runs.ts';
import type { ProjectCache } from './project-cache.ts';
import type { RunCache } from './run-cache.ts';
import type { HeavyWork } from './work/heavy-work.ts';
import type { SuiteFiles } from './workbench/add-test.ts';
import type { Workbench } from './workbench/workbench.ts';

/** The objects that every route may use. */
export interface ServerContext {
  /** Absolute: the folder of the project. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  /** Artifacts of trials on other machines. */
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
  /** State of the routes about files, reviews and MCP servers between requests. */
  readonly projectCache: ProjectCache;
  /** State of the routes about runs and trials between requests. */
  readonly runCache: RunCache;
  /** Sessions with MCP servers that people use by hand. */
  readonly workbench: Workbench;
  /** Processes for work that other requests must not wait for. */
  readonly heavyWork: HeavyWork;
  readonly suiteFiles: SuiteFiles;
  /** Tokens for others; those of the server, whichever project is served. */
  readonly tokens: Pick<IssuedTokens, 'share' | 'shared' | 'endShared'>;
  /** The projects of the workspace; this one is the current one. */
  projects(): Promise<ProjectList>;
  /** The project as its files are now; a config that is wrong is thrown with its problems. */
  project(): Promise<Project>;
}
