import { openProject, type Project } from '../../compose/config/project.ts';
import { AssayError } from '../../domain/errors.ts';
import { isPostgresUrl, shownStoreUrl } from '../../keep/store/sql/store-url.ts';
import type { CliContext } from './context.ts';

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
