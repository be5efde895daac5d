import { readFileSync } from 'node:fs';

/** Memory and CPU time of several processes together. */
export interface ProcessUsage {
  readonly processes: number;
  readonly rssBytes: number;
  /** Largest resident memory that one of them ever had. */
  readonly peakOfOneBytes: number;
  /** Of the processes and the children that they waited for. */
  readonly cpuMs: number;
}

/** Linux reports CPU time to every program in this unit, whatever its own clock is. */
const msPerTick = 10;

/** Usage of those that still run; undefined where none does, or the system does not show it. */
export function usageOf(pids: readonly number[]): ProcessUsage | undefined {
  const usages = pids.flatMap((pid) => usageOfOne(pid) ?? []);
  if (usages.length === 0) return undefined;
  const sum = (figure: (usage: ProcessUsage) => number): number =>
    usages.reduce((total, usage) => total + figure(usage), 0);
  return {
    processes: usages.length,
    rssBytes: sum(({ rssBytes }) => rssBytes),
    peakOfOneBytes: Math.max(...usages.map(({ peakOfOneBytes }) => peakOfOneBytes)),
    cpuMs: sum(({ cpuMs }) => cpuMs),
  };
}

function usageOfOne(pid: number): ProcessUsage | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const rssBytes = bytesIn(status, 'VmRSS');
    const peakOfOneBytes = bytesIn(status, 'VmHWM');
    // A process that has ended and was not waited for has no memory.
    if (rssBytes === undefined || peakOfOneBytes === undefined) return undefined;
    return { processes: 1, rssBytes, peakOfOneBytes, cpuMs: cpuMsOf(pid) };
  } catch {
    return undefined;
  }
}

function bytesIn(status: string, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The name of a program may contain spaces and brackets, so fields are counted from its end. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks * msPerTick;
}
