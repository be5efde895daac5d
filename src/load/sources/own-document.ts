import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isRecord } from '../../shared/json.ts';

const ownSchema = /^assay\.[\w.-]+\/\d+$/;
/** Documents that Assay writes begin with their schema, exported traces with their spans. */
const ownBeginning = /^\s*\{\s*(?:"schema"\s*:\s*"assay\.[\w.-]+\/\d+"|"resourceSpans"\s*:)/;
const headBytes = 512;

/** The schema of a document that Assay wrote, such as a baseline or an exported run; undefined for anything else. */
export function ownSchemaOf(value: unknown): string | undefined {
  const schema = isRecord(value) ? value.schema : undefined;
  return typeof schema === 'string' && ownSchema.test(schema) ? schema : undefined;
}

/**
 * What a file is by its beginning. No more is read: a document may still be growing (`assay run --json > run.json` in
 * the project), or be larger than any scenario may be.
 */
export async function peekAt(file: string, folder: string): Promise<'empty' | 'own-document' | 'unknown'> {
  try {
    await using handle = await open(resolve(folder, file));
    if (!(await handle.stat()).isFile()) return 'unknown';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    if (bytesRead === 0) return 'empty';
    return ownBeginning.test(buffer.toString('utf8', 0, bytesRead)) ? 'own-document' : 'unknown';
  } catch {
    // Reading the whole file reports why it cannot be read.
    return 'unknown';
  }
}
