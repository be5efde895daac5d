import { extname } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { moduleExtensions, parseSource } from '../../../load/sources/source-file.ts';
import type { FileKind } from '../api/project.ts';
import { looksLikeRubric } from './looks-like-rubric.ts';

const configFile = /^assay\.config\.(?:ya?ml|jsonc?|toml|ts|m?js)$|^llm-tool-test-config\.toml$/;

/** Whether the path is that of a config of the project. */
export function isConfigPath(path: string): boolean {
  return configFile.test(path);
}

/** Whether the file is a program, which is shown and never written from here. */
export function isModulePath(path: string): boolean {
  return (moduleExtensions as readonly string[]).includes(extname(path).toLowerCase());
}

/** What a file is, by its name and by what stands in it. */
export async function kindOfFile(path: string, text: string): Promise<FileKind> {
  if (isConfigPath(path)) return 'config';
  if (isModulePath(path)) return 'scenario';
  const source = await parseSource(path, text).catch(() => undefined);
  const isRubric = source ? looksLikeRubric(source.value) : /rubric/i.test(path);
  return isRubric ? 'rubric' : 'scenario';
}

/** Refuses a kind that a file of that name cannot be of. */
export function assertKind(path: string, kind: FileKind): void {
  if ((kind === 'config') === isConfigPath(path)) return;
  const message =
    kind === 'config' ? `"${path}" is no name of a config file.` : `"${path}" is the name of a config file.`;
  throw new AssayError('USAGE', message, {
    hint: 'A config is named like `assay.config.yaml` and lies in the project.',
  });
}
