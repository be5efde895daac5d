import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the running processes that have a text in their environment; where there is no `/proc`, none. */
export function processesWith(text: string): number[] {
  return listed().filter((pid) => environmentOf(pid).includes(text));
}

function listed(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
