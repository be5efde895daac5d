import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the running processes that have a text in their command line, whatever environment they have. */
export function processesRunning(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandOf(pid).includes(text));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
