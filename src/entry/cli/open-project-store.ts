import { join } from 'node:path';
import { openProject, type Project } from '../../compose/config/project.ts';
import { openSqlStore } from '../../keep/store/open-store.ts';
import { makeOwnFolder } from '../../keep/store/own-folder.ts';
import type { SqlDatabase } from '../../keep/store/sql/sql-database.ts';
import { isPostgresUrl } from '../../keep/store/sql/store-url.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CliContext } from './context.ts';

/** The store that a command works on: the flag, then the environment, then the config. */
export async function openProjectStore(
  context: CliContext,
  flag: string | undefined,
  project?: Project,
): Promise<Store> {
  return (await openProjectDatabase(context, flag, project)).store;
}

/** The same with the database that the store is in. */
export async function openProjectDatabase(
  context: CliContext,
  flag: string | undefined,
  project?: Project,
): Promise<SqlDatabase> {
  const found = project ?? (await openProject(context.cwd, context.env));
  return openSqlStore(storeUrl(context, flag, found), found.folder, { warn: storeWarning(context) });
}

/**
 * The same for a command that adds a run. What agents leave behind and what judges said is kept beside the project also
 * when runs are kept elsewhere, in a folder that keeps itself out of version control.
 */
export async function openDatabaseForRun(
  context: CliContext,
  flag: string | undefined,
  project: Project,
): Promise<SqlDatabase> {
  const database = await openProjectDatabase(context, flag, project);
  if (isPostgresUrl(storeUrl(context, flag, project))) makeProjectFolder(project.folder);
  return database;
}

function storeUrl({ env }: CliContext, flag: string | undefined, { config }: Project): string {
  return flag ?? env.ASSAY_STORE ?? config.store;
}

/** Who may not write here is told so when there is something to keep. */
function makeProjectFolder(folder: string): void {
  try {
    makeOwnFolder(join(folder, '.assay'));
  } catch {}
}

/** The store of such a command. */
export async function openStoreForRun(context: CliContext, flag: string | undefined, project: Project): Promise<Store> {
  return (await openDatabaseForRun(context, flag, project)).store;
}

/** Tells people what a store has to say. */
export function storeWarning({ stderr }: Pick<CliContext, 'stderr'>): (message: string) => void {
  return (message) => {
    stderr.write(`${message}\n`);
  };
}

/** The `--store` option, the same on every command that has it. */
export const storeOption = ['--store <url>', 'where runs are kept'] as const;
