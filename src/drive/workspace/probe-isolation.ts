import { execFile } from 'node:child_process';
import type { IsolatedFolders, Isolation } from './isolation.ts';

const probeTimeoutMs = 5_000;

/** Not an exit code by which programs say that they could not do something. */
const expectedExitCode = 42;

/** Succeeds where ids of processes are counted anew, /proc shows only them, and the trial's folders can be written. */
const probeScript = `
[ $$ -lt 10 ] || { echo "process ids are not its own" >&2; exit 1; }
[ "$(readlink /proc/self/exe)" ] || { echo "/proc is not its own" >&2; exit 1; }
: > written && : > "$1/written" || exit 1
exit ${expectedExitCode}
`;

interface Ran {
  readonly exitCode: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Why the isolation does not work here; undefined when it does. */
export async function probeIsolation(isolation: Isolation, folders: IsolatedFolders): Promise<string | undefined> {
  const argv = isolation.wrap(['/bin/sh', '-c', probeScript, 'sh', folders.tmp], folders);
  const { exitCode, stderr } = await run(argv, folders.directory);
  if (exitCode === expectedExitCode) return undefined;
  return stderr.trim().split('\n')[0] || `a probe ended with ${exitCode ?? 'a signal'}`;
}

/** Absolute path of a program on PATH; undefined when it is not there. */
export async function findProgram(name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await run(['/bin/sh', '-c', 'command -v "$1"', 'sh', name], '/');
  return exitCode === 0 ? stdout.trim() : undefined;
}

function run([program, ...rest]: readonly [string, ...string[]], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: probeTimeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(program, rest, options, (error, stdout, stderr) => {
      resolve({ exitCode: error ? (error.code ?? undefined) : 0, stdout, stderr });
    });
  });
}
