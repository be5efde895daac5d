import { join, resolve } from 'node:path';
import { folderOf, matcherOf } from '../keep/bundles/file-patterns.ts';
import { walkFiles } from '../keep/bundles/list-files.ts';
import type { FileDigests } from './file-digests.ts';

/** SHA-256 of the files that patterns or paths name, each looked for in the folders in turn. Throws where one names none. */
export async function declaredInputs(
  patterns: readonly string[],
  folders: readonly string[],
  digests: FileDigests,
): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const pattern of patterns) {
    for (const folder of folders) found[pattern] ??= await matching(pattern, folder, digests);
    if (found[pattern] === undefined) throw new Error(`no file matches \`${pattern}\` of \`inputs\``);
  }
  return found;
}

async function matching(pattern: string, folder: string, digests: FileDigests): Promise<unknown> {
  if (!/[*?{]/.test(pattern)) return digests.of(resolve(folder, pattern)).catch(undefinedIfMissing);
  const isOwn = (_: string, name: string): boolean => name === '.git' || name === '.assay';
  const listing = await walkFiles(folder, isOwn, folderOf(pattern)).catch(undefinedIfMissing);
  const paths = (listing?.paths ?? []).filter(matcherOf([pattern])).sort();
  const files: [string, string][] = [];
  for (const path of paths) files.push([path, await digests.of(join(folder, path))]);
  return files.length === 0 ? undefined : files;
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
