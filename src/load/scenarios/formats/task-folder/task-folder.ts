import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePosition } from '../../../../domain/errors.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { fileFault } from '../../../sources/source-file.ts';
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
    /** How rewards that are given before the trial ends are combined; undefined where none are. */
    readonly steps?: 'mean' | 'final' | undefined;
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
    | 'mcpServers'
    | 'readiness'
    | 'services'
    | 'steps'
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
