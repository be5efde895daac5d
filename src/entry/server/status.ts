import { basename } from 'node:path';
import { isPostgresUrl } from '../../keep/store/sql/store-url.ts';
import { discoverFiles } from '../../load/scenarios/discover.ts';
import type { Status } from './api/project.ts';
import type { ServerContext } from './context.ts';

/** What is served, and whether there is anything to see yet. */
export async function readStatus(context: ServerContext): Promise<Status> {
  const { store, folder, version, startedAt, storeUrl } = context;
  const [newest] = await store.listRuns(1);
  return {
    assayVersion: version,
    project: basename(folder),
    isEmpty: newest === undefined,
    hasScenarios: await hasScenarios(context),
    startedAt,
    hasWorkers: isPostgresUrl(storeUrl),
  };
}

/** Data files beside the config may be anything; whether they are scenarios is told where they are listed. */
async function hasScenarios(context: ServerContext): Promise<boolean> {
  const project = await context.project().catch(() => undefined);
  const { files } = await discoverFiles(project?.config.scenarios ?? ['.'], project?.folder ?? context.folder);
  return files.some(({ file }) => !/(^|[/\\])(assay\.config\.|package(-lock)?\.json|tsconfig)/.test(file));
}
