import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunSource } from '../../domain/run.ts';

/** A repository so large that git needs longer is not waited for. */
const longestMs = 2_000;

/** The commit of the repository that a folder is in; undefined outside of one, or without git. */
export async function readRunSource(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunSource | undefined> {
  if (!isInRepository(folder)) return undefined;
  const git = (...args: string[]) => runGit(args, folder, env);
  const [head, status] = await Promise.all([
    git('log', '-1', '--no-show-signature', '--format=%H%n%an'),
    git('status', '--porcelain=v2', '--branch', '--untracked-files=no', '--ignore-submodules=dirty'),
  ]);
  const [commit = '', author = ''] = head?.split('\n') ?? [];
  if (commit === '') return undefined;
  return {
    commit,
    author: author || null,
    branch: branchIn(status ?? ''),
    isDirty: status === undefined ? null : isDirty(status),
  };
}

/** Looked for here, so no program is started for projects that are in no repository. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}

function branchIn(status: string): string | null {
  const name = /^# branch\.head (.+)$/m.exec(status)?.[1];
  return name === undefined || name === '(detached)' ? null : name;
}

function isDirty(status: string): boolean {
  return status.split('\n').some((line) => line !== '' && !line.startsWith('#'));
}

/** The output of git; undefined where it failed. Locks are not taken: another git may be at work in the folder. */
function runGit(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const options = {
    cwd,
    env: { PATH: env.PATH, HOME: env.HOME, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    timeout: longestMs,
    maxBuffer: 16_000_000,
  };
  return new Promise((resolve) => {
    // A program that the repository names for its status is not started.
    execFile('git', ['-c', 'core.fsmonitor=false', ...args], options, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}
