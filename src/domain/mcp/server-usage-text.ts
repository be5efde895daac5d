import { counted } from '../../shared/format.ts';
import type { ServerUsage } from '../server-performance.ts';
import type { TraceEventOf } from '../trace.ts';

/** How many tools a server has, where they were listed. */
export function toolCountText({ tools, isUnlisted }: TraceEventOf<'mcp-server'>): string {
  return isUnlisted ? 'tools not listed' : counted(tools.length, 'tool');
}

/** Observations of a server in one line. */
export function describeServerUsage({ processes, unseen, restarts, repeated, fault }: ServerUsage): string {
  const calls = repeated.reduce((sum, { latenciesMs, failed }) => sum + latenciesMs.length + failed, 0);
  const parts = [
    processes
      ? `memory up to ${inMB(processes.peakRssBytes)} MB, ${processes.cpuMs} ms of CPU time`
      : `memory and CPU time unknown: ${unseen}`,
    ...(restarts > 0 ? [counted(restarts, 'restart')] : []),
    ...(calls > 0 ? [counted(calls, 'repeated call')] : []),
    ...(fault === null ? [] : [fault.message]),
  ];
  return parts.join(', ');
}

/** Bytes in MB of 1024 × 1024 bytes, with one decimal. */
export function inMB(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
