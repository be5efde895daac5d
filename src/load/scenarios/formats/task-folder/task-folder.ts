import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { FilePosition } from '../../../../domain/errors.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { fileFault, readSource } from '../../../sources/source-file.ts';
import type { FileReading } from '../tolerant-parse.ts';

/** A task as its folder describes it, whichever program the folder was made for. */
export interface TaskFolder {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly prompt: string;
  readonly timeoutSecs: number | undefined;
  readonly verifier: {
    readonly command: string;
    readonly timeoutSecs: number;
    readonly env: Readonly<Record<string, string>>;
    readonly from: 'reward-file' | 'pytest';
  };
  readonly container: Pick<
    CliToolConfig,
    | 'image'
    | 'dockerfile'
    | 'imageFolder'
    | 'buildTimeoutSecs'
    | 'cpus'
    | 'memoryMb'
    | 'network'
    | 'stagedFolders'
    | 'logsFolder'
    | 'healthCheck'
    | 'solution'
    | 'solutionFolder'
  >;
  readonly env: Readonly<Record<string, string>>;
  /** Parts of the task that cannot be had here, in words; its trials are errors. */
  readonly unsupported: readonly string[];
}

/** The text of a file of the task; a missing or empty one is a problem, unless it is optional. */
export async function fileOfTask(
  name: string,
  { source, context, found }: FileReading,
  isOptional = false,
): Promise<string | undefined> {
  const at = source.locate([]);
  try {
    const text = await readFile(join(context.directory, name), 'utf8');
    if (text.trim() !== '') return text;
    if (!isOptional) found.problems.push({ at, message: `${name} of the task is empty` });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && isOptional) return undefined;
    const message = isMissing ? `${name} of the task is missing` : `${name} of the task: ${fileFault(error)}`;
    found.problems.push({ at, message });
  }
  return undefined;
}

/** The command that runs a script, by its first line: the file need not be executable. */
export function commandFor(script: string, path: string): string {
  const [, shell = 'sh'] = /^#!.*?\b(bash|zsh|python3?|sh)\b/.exec(script) ?? [];
  return `${shell} ${path}`;
}

/** Part of a task that Assay does not have. */
export interface UnsupportedPart {
  readonly at: FilePosition;
  readonly subject: string;
}

/** Warns about parts that Assay does not have; without them an agent would do another task, or be judged by another one. */
export function warnOfUnsupported(parts: readonly UnsupportedPart[], { found }: FileReading): string[] {
  for (const { at, subject } of parts) {
    found.warnings.push({ at, message: `tasks with ${subject} are not supported, so trials of this one are errors` });
  }
  return parts.map(({ subject }) => subject);
}

/** Keys of the only service that say what Assay does anyway: it builds the image, and keeps the container running. */
const usualServiceKeys: ReadonlySet<string> = new Set(['build', 'command', 'container_name', 'image']);

/** Settings that the program of the folder fills in for every task. */
const isFilledIn = (setting: unknown): boolean => JSON.stringify(setting)?.includes('${') ?? false;

/** The services beside that of the agent, as a trial has one container. Settings of the only one are ignored with a warning. */
export async function sidecarsIn(name: string, { context, found }: FileReading): Promise<UnsupportedPart[]> {
  const path = join(context.directory, name);
  if (!existsSync(path)) return [];
  const compose = await readSource(relative(context.folder, path), context.folder);
  const at = compose.locate(['services']);
  const services = isRecord(compose.value) ? compose.value.services : undefined;
  if (!isRecord(services)) return [{ at, subject: 'an unknown list of services' }];
  const [only = '', ...others] = Object.keys(services);
  if (others.length > 0) return [{ at, subject: `several containers (${[only, ...others].join(', ')})` }];
  const settings = isRecord(services[only]) ? Object.entries(services[only]) : [];
  for (const [key] of settings.filter(([name, value]) => !usualServiceKeys.has(name) && !isFilledIn(value))) {
    const message = `\`services.${only}.${key}\` is not supported and is ignored`;
    found.warnings.push({ at: compose.locate(['services', only, key]), message });
  }
  return [];
}
