import { readdirSync, readFileSync } from 'node:fs';

/** The samples over standard streams that this process started in a mode and that still run. */
export function runningServers(mode: string): number[] {
  return runningWith(`stdio-server.mjs ${mode} ${process.pid}`);
}

/** The processes that still run and have a text in their command line. */
export function runningWith(text: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => commandOf(pid).includes(text));
}

/** False for one that has ended, also when its exit was not read yet. */
export function isRunning(pid: number): boolean {
  return commandOf(pid) !== '';
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}
