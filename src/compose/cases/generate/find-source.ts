import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { readSource } from '../../../load/sources/source-file.ts';
import { isRecord } from '../../../shared/json.ts';

export const sourceKinds = ['mcp', 'cli', 'openapi', 'traces', 'skill'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The file that makes a folder a skill. */
export const skillFile = 'SKILL.md';

export interface SourceRequest {
  /** A command line, a URL, a file or a folder, as the user wrote it. */
  readonly from: string;
  readonly cwd: string;
  /** Absolute: the folder of the generated files. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Tools that may change something: all, or those with a name. */
  readonly callsAll: boolean;
  readonly call: readonly string[];
  readonly skip: readonly string[];
}

/** The kind of a source, as far as it shows: by what is there, or by how a command line ends. */
export async function findKind({ from, cwd }: Pick<SourceRequest, 'from' | 'cwd'>): Promise<SourceKind> {
  if (/^https?:\/\//i.test(from)) return 'mcp';
  const entry = await stat(resolve(cwd, from)).catch(() => undefined);
  if (entry?.isDirectory()) return existsSync(resolve(cwd, from, skillFile)) ? 'skill' : 'traces';
  if (basename(from) === skillFile) return 'skill';
  if (!entry) {
    if (/\s(?:--help|-h|help)\s*$/.test(from)) return 'cli';
    if (/^\S+\.(?:ya?ml|jsonc?|jsonl|txt)$/i.test(from))
      throw new AssayError('FILE_NOT_FOUND', `There is no file ${from}.`);
    if (/^\S+[\\/]$/.test(from)) throw new AssayError('FILE_NOT_FOUND', `There is no folder ${from}.`);
    return 'mcp';
  }
  const extension = extname(from).toLowerCase();
  if (extension === '.txt') return 'cli';
  if (extension === '.jsonl' || extension === '.ndjson') return 'traces';
  if (!['.yaml', '.yml', '.json', '.jsonc'].includes(extension)) return 'mcp';
  const { value } = await readSource(from, cwd);
  if (isRecord(value) && ('openapi' in value || 'swagger' in value)) return 'openapi';
  return isRecord(value) && 'server' in value ? 'mcp' : 'traces';
}
