import { join } from 'node:path';
import { openProject, type Project } from '../compose/config.ts';
import { openSqlStore } from '../store/open-store.ts';
import { makeOwnFolder } from '../store/own-folder.ts';
import type { SqlDatabase } from '../store/sql/sql-database.ts';
import { isPostgresUrl } from '../store/sql/store-url.ts';
import type { Store } from '../store/store.ts';
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
  const { config, folder } = project ?? (await openProject(context.cwd, context.env));
  const url = flag ?? context.env.ASSAY_STORE ?? config.store;
  const database = await openSqlStore(url, folder, { warn: storeWarning(context) });
  if (isPostgresUrl(url)) makeProjectFolder(folder);
  return database;
}

/** What agents leave behind lies there also when runs are kept elsewhere; who only looks at runs can do without it. */
function makeProjectFolder(folder: string): void {
  try {
    makeOwnFolder(join(folder, '.assay'));
  } catch {}
}

/** Tells people what a store has to say. */
export function storeWarning({ stderr }: Pick<CliContext, 'stderr'>): (message: string) => void {
  return (message) => {
    stderr.write(`${message}\n`);
  };
}

/** The `--store` option, the same on every command that has it. */
export const storeOption = ['--store <url>', 'where runs are kept'] as const;
