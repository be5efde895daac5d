import { join } from 'node:path';
import type { SidePlaces } from '../../compose/compare/find-side.ts';
import { openProject, type Project } from '../../compose/config/project.ts';
import { AssayError } from '../../domain/errors.ts';
import { isPostgresUrl, makeOwnFolder, openSqlStore, shownStoreUrl } from '../../keep/store/open-store.ts';
import type { SqlDatabase } from '../../keep/store/sql/tables.ts';
import type { Store } from '../../keep/store/store.ts';
import { once } from '../../shared/async.ts';
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
 * The same for a command that adds a run. Artifacts and judge verdicts stay beside the project even when runs are
 * stored elsewhere, in a folder that git ignores.
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

/** The URL of the store that a command works on. */
export async function storeUrlOf(context: CliContext, flag: string | undefined): Promise<string> {
  return storeUrl(context, flag, await openProject(context.cwd, context.env));
}

function storeUrl({ env }: CliContext, flag: string | undefined, { config }: Project): string {
  return flag ?? env.ASSAY_STORE ?? config.store;
}

/** A folder that cannot be written is reported later, when there is something to store. */
function makeProjectFolder(folder: string): void {
  try {
    makeOwnFolder(join(folder, '.assay'));
  } catch {}
}

/** The store of such a command. */
export async function openStoreForRun(context: CliContext, flag: string | undefined, project: Project): Promise<Store> {
  return (await openDatabaseForRun(context, flag, project)).store;
}

/** Prints the warnings of a store. */
export function storeWarning({ stderr }: Pick<CliContext, 'stderr'>): (message: string) => void {
  return (message) => {
    stderr.write(`${message}\n`);
  };
}

/** The `--store` option, the same on every command that has it. */
export const storeOption = ['--store <url>', 'store for runs (SQLite file or Postgres URL)'] as const;

/** The URL of a store that several machines can share; says what to set when it is another one. */
export async function sharedStoreUrl(
  context: CliContext,
  flag: string | undefined,
  project?: Project,
): Promise<string> {
  const url =
    flag ?? context.env.ASSAY_STORE ?? (project ?? (await openProject(context.cwd, context.env))).config.store;
  if (isPostgresUrl(url)) return url;
  throw new AssayError('USAGE', `Several machines need a Postgres store; this one is ${shownStoreUrl(url)}.`, {
    hint: 'Set ASSAY_STORE=postgres://user:password@host/database, or name it with --store or `store:` in the config.',
  });
}

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
