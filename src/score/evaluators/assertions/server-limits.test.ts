import { describe, expect, it } from 'vitest';
import type { ServerUsage } from '../../../domain/server-performance.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import { ask, contextOf, inWords } from '../../../testing/fakes/score/conversation.ts';
import { serverPerformance } from '../metrics/server-performance.ts';
import { serverLimits } from './server-limits.ts';

const MB = 1024 * 1024;
const processes = { most: 1, samples: 9, startRssBytes: MB, endRssBytes: MB, peakRssBytes: 50 * MB, cpuMs: 500 };
const growing = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => ({ call: index + 1, rssBytes: MB + index * bytes }));
const latencies = (count: number, failed = 0) => [
  {
    tool: 'add',
    latenciesMs: Array.from({ length: count }, (_, index) => index + 1),
    failed,
    ...(failed > 0 && { firstError: 'full' }),
  },
];

function traceOf(usage: Partial<ServerUsage>): readonly TraceEvent[] {
  const nothing = { durationMs: 1_000, processes, restarts: 0, repeated: [], memory: [], fault: null };
  return [{ type: 'server-performance', at: 0, seenBy: 'engine', ...nothing, ...usage }];
}

const words = async (limits: object, usage: Partial<ServerUsage> = {}): Promise<string> =>
  inWords(await ask(serverLimits, limits, contextOf(traceOf(usage))));

describe('server-limits', () => {
  it.each([
    [{ maxRssMB: 50 }, 'pass: Memory up to 50 MB, the limit is 50 MB'],
    [{ maxRssMB: 49 }, 'fail: Memory up to 50 MB, the limit is 49 MB'],
    [{ maxCpuPercent: 50 }, 'pass: CPU 50.0 %, the limit is 50 %'],
    [{ maxCpuPercent: 49 }, 'fail: CPU 50.0 %, the limit is 49 %'],
  ])('with %j', async (limits, expected) => {
    expect(await words(limits)).toBe(expected);
  });

  it('cannot judge processes that were not seen', async () => {
    const unseen = { processes: null, unseen: 'there is no /proc' };
    expect(await words({ maxRssMB: 1 }, unseen)).toBe('error NOT_OBSERVED: Memory is unknown: there is no /proc');
    expect(await words({ maxCpuPercent: 1 }, unseen)).toMatch(/^error NOT_OBSERVED: CPU time is unknown/);
    expect(await words({ maxGrowthKBPerCall: 1 }, unseen)).toMatch(/^error NOT_OBSERVED: Growth/);
  });

  it('needs as many calls as a percentile has meaning for', async () => {
    const limits = { latency: { p95: 19 } };
    expect(await words(limits, { repeated: latencies(20) })).toBe('pass: p95 of "add" is 19.0 ms, the limit is 19 ms');
    expect(await words(limits, { repeated: latencies(21) })).toBe('fail: p95 of "add" is 20.0 ms, the limit is 19 ms');
    expect(await words(limits, { repeated: latencies(19) })).toBe(
      'error NOT_OBSERVED: p95 of "add" could not be judged: 19 of 20 calls; raise `repeatCalls`',
    );
  });

  it('uses the limits of the tool instead of those of all tools', async () => {
    const limits = { latency: { p50: 1 }, tools: { add: { p50: 10 } } };
    expect(await words(limits, { repeated: latencies(20) })).toMatch(/^pass: p50 of "add" is 10.0 ms/);
  });

  it('does not judge by calls that failed', async () => {
    const repeated = latencies(20, 2);
    expect(await words({ latency: { p50: 99 } }, { repeated })).toMatch(/2 repeated calls of "add" failed.*full$/);
    expect(await words({ maxGrowthKBPerCall: 9 }, { repeated, memory: growing(30, 0) })).toMatch(/^error NOT_OBSERVED/);
  });

  it('judges growth only by an interval on one side of the limit', async () => {
    const limits = { maxGrowthKBPerCall: 10 };
    expect(await words(limits, { memory: growing(100, 5 * 1024) })).toMatch(/^pass: Memory grew by 5 KB/);
    expect(await words(limits, { memory: growing(100, 20 * 1024) })).toMatch(/^fail: Memory grew by 20 KB/);
    expect(await words(limits, { memory: growing(100, 10 * 1024) })).toMatch(/on both sides of the limit/);
    expect(await words(limits, { memory: growing(24, 0) })).toMatch(/24 repeated calls are too few/);
    expect(await words(limits, { memory: growing(100, 0), restarts: 1 })).toMatch(/restarted during the suite/);
  });

  it('does not pass where the repeated calls could not be finished', async () => {
    const fault = { code: 'MCP_SERVER_DIED', blame: 'target', message: 'It ended.', hint: '' } as const;
    expect(await words({}, { fault })).toBe(
      'error MCP_SERVER_DIED: The repeated calls could not be finished: It ended.',
    );
    expect(await words({ maxRssMB: 1 }, { fault })).toMatch(/^fail: Memory/);
  });

  it('cannot judge a server that was not monitored', async () => {
    expect(inWords(await ask(serverLimits, { maxRssMB: 1 }, contextOf([])))).toMatch(/^error NOT_OBSERVED/);
  });
});

describe('server-performance', () => {
  it('has no figure for what was not seen', async () => {
    const context = contextOf(traceOf({ processes: null, unseen: 'no /proc', repeated: latencies(3) }));
    expect(await ask(serverPerformance, {}, context)).toMatchObject({
      state: 'no-data',
      metrics: { 'server.cpuMs': null, 'server.growthKBPerCall': null, 'latency.add.p50': 2, 'latency.add.p95': null },
    });
  });
});
