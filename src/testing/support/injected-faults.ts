import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandResult, ended, programPath } from './assay.ts';

/** System calls through which a database reaches its files. */
export const fileCalls = ['pread64', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink', 'openat'] as const;
type FileCall = (typeof fileCalls)[number];

/** Stops the program at the calls that are looked at only: with all others it takes several times as long. */
const followed = ['-f', '--seccomp-bpf', '-qq'];

export const canInjectFaults = spawnSync('strace', [...followed, '-o', '/dev/null', 'true']).status === 0;

/** One system call that fails: the nth of its kind on the files of the store, with `+` all from there on. */
export interface InjectedFault {
  readonly call: FileCall;
  readonly nth: number | `${number}+`;
  readonly error: 'EIO' | 'ENOSPC';
}

/** Runs the program; the nth call of the given kind on the project's database files fails. */
export function assayWithFault(folder: string, args: readonly string[], fault: InjectedFault): Promise<CommandResult> {
  const injection = `inject=${fault.call}:error=${fault.error}:when=${fault.nth}`;
  return traced(folder, args, ['-e', `trace=${fault.call}`, '-e', injection, '-o', '/dev/null']);
}

/** How often the program makes each call on the project's database files. */
export async function countCalls(folder: string, args: readonly string[]): Promise<Map<FileCall, number>> {
  const log = join(folder, 'calls.log');
  await traced(folder, args, ['-e', `trace=${fileCalls.join(',')}`, '-o', log]);
  const counts = new Map<FileCall, number>();
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    const call = fileCalls.find((name) => line.includes(` ${name}(`));
    if (call) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}

/** At most `most` numbers from 1 to `last`, evenly spread, the first and the last among them. */
export function spread(last: number, most: number): number[] {
  const steps = Math.min(last, most);
  return Array.from({ length: steps }, (_, step) => Math.round(1 + ((last - 1) * step) / Math.max(steps - 1, 1)));
}

function traced(folder: string, args: readonly string[], options: readonly string[]): Promise<CommandResult> {
  const files = ['assay.db', 'assay.db-wal', 'assay.db-shm', 'assay.db-journal', 'copy.db', 'copy.db-wal'];
  const paths = files.flatMap((name) => ['-P', join(folder, '.assay', name)]);
  const { NO_COLOR: _, FORCE_COLOR: _f, ASSAY_STORE: __, ...env } = process.env;
  const command = [...followed, ...paths, ...options, process.execPath, programPath, ...args];
  return ended(spawn('strace', command, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}
