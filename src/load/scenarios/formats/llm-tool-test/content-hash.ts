import { relative } from 'node:path';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { fileFault } from '../../../sources/file-fault.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import type { Reading } from './reading.ts';
import { TreeTooLarge, treeHash } from './tree-hash.ts';

/** Everything beside the file itself that can change a verdict. */
interface HashedParts {
  readonly template: string | undefined;
  readonly guidance: ReadonlyMap<string, string>;
  /** What has been read already. */
  readonly content: readonly unknown[];
}

/** SHA-256 of the file and of all that it names; the same wherever the project lies. */
export async function contentHash({ template, guidance, content }: HashedParts, reading: Reading): Promise<string> {
  const templateHash = template && (await hashOf(template, ['template_folder'], reading));
  const guidanceHashes: [string, string][] = [];
  for (const [name, path] of guidance) {
    guidanceHashes.push([name, await hashOf(path, ['guidance', name], reading)]);
  }
  return sha256(canonicalJson([reading.source.value, ...content, templateHash, guidanceHashes]));
}

async function hashOf(path: string, named: DataPath, { source, context, found }: Reading): Promise<string> {
  try {
    return await treeHash(path);
  } catch (error) {
    const at = source.locate(named);
    found.problems.push({ at, message: `${relative(context.folder, path) || '.'} cannot be used: ${whyNot(error)}` });
    return '';
  }
}

function whyNot(error: unknown): string {
  if (error instanceof TreeTooLarge) return error.message;
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return `in it, ${(error as NodeJS.ErrnoException).path}: ${fileFault(error)}`;
}
