import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessIdentity } from './process-identity.ts';

/** This process. */
export function ownProcess(): ProcessIdentity {
  return { host: hostname(), machine: thisMachine(), pid: process.pid, processStart: startOf(process.pid) };
}

/** Whether a process still exists; undefined for one of another machine, whose pids mean nothing here. */
export function processExists({ machine, pid, processStart }: ProcessIdentity): boolean | undefined {
  if (machine !== thisMachine()) return undefined;
  if (!hasPid(pid)) return false;
  const start = startOf(pid);
  return start === null || processStart === null || start === processStart;
}

function thisMachine(): string {
  const boot = textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = textOf(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, namespace].join(' ');
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of its stat; the name before it, in parentheses, may hold anything. */
function startOf(pid: number): string | null {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that has ended and was not collected yet runs nothing any more.
  if (state === 'Z') return 'ended';
  return fields[18] ?? null;
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
