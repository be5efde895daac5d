import { openProject, type Project } from '../../compose/config/project.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { Store } from '../../keep/store/store.ts';
import type { ToolContext } from './served-tool.ts';

/** The project, read anew for each call: its files change while the server runs. */
export function projectOf({ folder, env }: ToolContext): Promise<Project> {
  return openProject(folder, env);
}

/** The store of the project. */
export async function storeOf(context: ToolContext, project?: Project): Promise<Store> {
  const { config, folder } = project ?? (await projectOf(context));
  return openStore(context.storeUrl ?? context.env.ASSAY_STORE ?? config.store, folder);
}
