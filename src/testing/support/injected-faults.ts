import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandOptions, type CommandResult, commandEnvironment, ended, programPath } from './assay.ts';

const databases = ['assay.db', 'copy.db', 'collect/spool.db'];

/** System calls through which a database reaches its files. */
export const fileCalls = ['pread64', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink', 'openat'] as const;
type FileCall = (typeof fileCalls)[number];

/** Stops the program at the calls that are looked at only: with all others it takes several times as long. */
const atTheseOnly = '--seccomp-bpf';

export const canInjectFaults = spawnSync('strace', ['-f', atTheseOnly, '-qq', '-o', '/dev/null', 'true']).status === 0;

/** One system call that fails: the nth of its kind on the files of the store, with `+` all from there on. */
export interface InjectedFault {
  readonly call: FileCall;
  readonly nth: number | `${number}+`;
  readonly error: 'EIO' | 'ENOSPC';
}

/** The system call on the files of the store at which the program is killed. */
export interface InjectedKill {
  readonly call: FileCall;
  readonly nth: number;
}

/** Runs the program; the nth call of the given kind on the project's database files fails. */
export function assayWithFault(folder: string, args: readonly string[], fault: InjectedFault): Promise<CommandResult> {
  return ended(startWithFault(fault)(args, { cwd: folder }));
}

/** The same for a program that goes on: signals reach the program itself. */
export function startWithFault({ call, nth, error }: InjectedFault, files = databases) {
  return (args: readonly string[], options: CommandOptions): ChildProcess =>
    traced(args, options, [...injected(call, `error=${error}:when=${nth}`), atTheseOnly, '-D'], files);
}

/** Runs the program until it makes the given call on the project's database files, and kills it there: only if it stops at all calls. */
export function assayKilledAt(
  folder: string,
  args: readonly string[],
  { call, nth }: InjectedKill,
): Promise<CommandResult> {
  return ended(traced(args, { cwd: folder }, injected(call, `signal=SIGKILL:when=${nth}`)));
}

const injected = (call: FileCall, effect: string): string[] => [
  ...['-e', `trace=${call}`, '-e', `inject=${call}:${effect}`],
  ...['-o', '/dev/null'],
];

/** How often the program makes each call on the project's database files. */
export async function countCalls(folder: string, args: readonly string[]): Promise<Map<FileCall, number>> {
  const log = join(folder, 'calls.log');
  await ended(traced(args, { cwd: folder }, [atTheseOnly, '-e', `trace=${fileCalls.join(',')}`, '-o', log]));
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

function traced(
  args: readonly string[],
  options: CommandOptions,
  tracing: readonly string[],
  files = databases,
): ChildProcess {
  const parts = files.flatMap((name) => ['', '-wal', '-shm', '-journal'].map((ending) => `${name}${ending}`));
  const paths = parts.flatMap((name) => ['-P', join(options.cwd, '.assay', name)]);
  const { ASSAY_STORE: _, ...env } = commandEnvironment(options);
  const command = ['-f', '-qq', ...paths, ...tracing, process.execPath, programPath, ...args];
  return spawn('strace', command, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}
