import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The process namespace of a process. */
export function namespaceOf(pid: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** Whether processes other than the first live in a process namespace; those of other users cannot be seen. */
export function othersIn(namespace: string | undefined, first: number): boolean {
  if (namespace === undefined) return false;
  return readdirSync('/proc').some(
    (pid) => /^\d/.test(pid) && Number(pid) !== first && namespaceOf(pid) === namespace && !isDead(pid),
  );
}

function isDead(pid: string): boolean {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
  }
}
