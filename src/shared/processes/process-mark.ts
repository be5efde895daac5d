import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * A number by which a process and all that it starts can be found again, whatever they do to their environment, group,
 * session and descriptors. It is kept as the soft limit of file locks, which Linux hands on to every child and has
 * not enforced for decades. A mark has the digits of this program and those of the process.
 */
export type ProcessMark = string;

const digitsOfProcess = 6;
const programDigits = String(randomInt(100_000_000, 1_000_000_000));
let markedSoFar = 0;
let isWatched = false;

type Argv = readonly [string, ...string[]];

/** Dash and the shells of BusyBox name the limit `w`, Bash names it `x`. */
const markScript = 'ulimit -S -w "$0" 2>/dev/null || ulimit -S -x "$0" 2>/dev/null; exec "$@"';

/** A new mark; undefined where the system has no such limit. */
export function newMark(): ProcessMark | undefined {
  if (process.platform !== 'linux') return undefined;
  watchForOurEnd();
  const number = markedSoFar++ % 10 ** digitsOfProcess;
  return `${programDigits}${String(number).padStart(digitsOfProcess, '0')}`;
}

/** The command that gives itself the mark and becomes the given one. */
export function markedArgv(argv: Argv, mark: ProcessMark | undefined): Argv {
  return mark === undefined ? argv : ['/bin/sh', '-c', markScript, mark, ...argv];
}

/** Whether a process carries the mark; false for one that has ended. */
export function hasMark(pid: number, mark: ProcessMark): boolean {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
    return limits.includes(` ${mark} `) && !hasEnded(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** One that was not collected yet still has its limits; the name before its state may hold anything. */
function hasEnded(stat: string): boolean {
  return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z';
}

/**
 * Waits until its input ends, which it does with this program, however that ends. Then it ends every process with a mark
 * of this program, and those that they start meanwhile. No other program is needed, except for the pauses.
 */
const watchScript = `
trap '' INT TERM HUP
read -r _
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=
  for folder in /proc/[0-9]*; do
    while read -r _ _ kind soft _; do
      [ "$kind" = locks ] || continue
      case $soft in "$0"??????) kill -KILL "\${folder#/proc/}" && found=1 ;; esac
    done <"$folder/limits"
  done 2>/dev/null
  [ "$found" ] || exit 0
  sleep 0.05
done
`;

/** A killed program cannot end what it started, so another process does it. */
function watchForOurEnd(): void {
  if (isWatched) return;
  isWatched = true;
  const watch = spawn('/bin/sh', ['-c', watchScript, programDigits], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a watch, processes are still ended by this program as long as it lives.
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  (watch.stdin as unknown as { unref(): void }).unref();
}
