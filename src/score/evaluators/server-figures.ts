import type { ServerUsage } from '../../domain/server-performance.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { type Growth, growthOf } from '../../shared/stats/growth.ts';

/** Percentiles, and the number of calls below which each is only the slowest call. */
export const percentiles = [
  { name: 'p50', share: 0.5, fewestCalls: 2 },
  { name: 'p95', share: 0.95, fewestCalls: 20 },
  { name: 'p99', share: 0.99, fewestCalls: 100 },
] as const;
export type PercentileName = (typeof percentiles)[number]['name'];

/** Latencies of one tool in a suite. */
export interface ToolLatencies {
  readonly tool: string;
  /** Of calls that succeeded or timed out, in ascending order. */
  readonly sortedMs: readonly number[];
  /** Repeated calls that failed, and how the first one did. */
  readonly failed: number;
  readonly firstError: string | undefined;
}

/** Figures of a server that was monitored during a suite. */
export interface ServerFigures {
  readonly usage: ServerUsage;
  readonly cpuPercent: number | undefined;
  /** Of resident memory per repeated call, in bytes; undefined with too few calls or after a restart. */
  readonly growth: Growth | undefined;
  readonly tools: readonly ToolLatencies[];
}

/** Memory is counted in pages of at least this size. */
const pageBytes = 4096;
/** A server fills caches and grows its heap at first. */
const warmUpShare = 0.2;

/** Undefined for a trial whose server was not monitored. */
export function serverFigures(trace: Trace): ServerFigures | undefined {
  const usage = eventsOf(trace, 'server-performance').at(-1);
  if (!usage) return undefined;
  const { processes, durationMs } = usage;
  return {
    usage,
    cpuPercent: processes && durationMs > 0 ? (processes.cpuMs / durationMs) * 100 : undefined,
    growth: growthOfMemory(usage),
    tools: latenciesOf(trace, usage),
  };
}

function growthOfMemory({ memory, restarts }: ServerUsage): Growth | undefined {
  if (restarts > 0) return undefined;
  const warm = memory.slice(Math.ceil(memory.length * warmUpShare));
  return growthOf(
    warm.map(({ call, rssBytes }) => ({ x: call, y: rssBytes })),
    pageBytes,
  );
}

/** A call that was refused says nothing about how long the tool works; one that timed out says that it is slow. */
function latenciesOf(trace: Trace, { repeated }: ServerUsage): ToolLatencies[] {
  const tools = new Map(eventsOf(trace, 'tool-call').map(({ callId, tool }) => [callId, tool]));
  const found = new Map<string, number[]>([...tools.values()].map((tool) => [tool, []]));
  const add = (tool: string, latencies: readonly number[]): void =>
    void found.set(tool, [...(found.get(tool) ?? []), ...latencies]);
  for (const { callId, error, durationMs, answeredBy } of eventsOf(trace, 'tool-result')) {
    const tool = tools.get(callId);
    if (durationMs === undefined || answeredBy !== undefined) continue;
    if (tool !== undefined && (!error || error.code === 'MCP_SERVER_TIMEOUT')) add(tool, [durationMs]);
  }
  for (const { tool, latenciesMs } of repeated) add(tool, latenciesMs);
  return [...found].map(([tool, latencies]) => {
    const again = repeated.find((one) => one.tool === tool);
    return {
      tool,
      sortedMs: latencies.toSorted((a, b) => a - b),
      failed: again?.failed ?? 0,
      firstError: again?.firstError,
    };
  });
}

/** The smallest latency that this share of the calls does not exceed; undefined with too few calls. */
export function percentileOf(sortedMs: readonly number[], name: PercentileName): number | undefined {
  const { share, fewestCalls } = percentiles.find((one) => one.name === name) ?? percentiles[0];
  return sortedMs.length < fewestCalls ? undefined : sortedMs[Math.ceil(share * sortedMs.length) - 1];
}

/** `12.3 KB per call (95 % interval 10.1 to 14.5)`. */
export function growthText({ perStep, low, high }: Growth): string {
  return `${inKB(perStep)} KB per call (95 % interval ${inKB(low)} to ${inKB(high)})`;
}

/** Bytes in KB of 1024 bytes, with two decimals. */
export function inKB(bytes: number): number {
  return Math.round((bytes / 1024) * 100) / 100;
}
