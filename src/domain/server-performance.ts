import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { faultSchema } from './outcome.ts';

const milliseconds = lazySchema(() => z.number().min(0));

/** Percentiles that a latency can be limited by. */
const latencyLimitsSchema = lazySchema(() =>
  z.strictObject({
    p50: milliseconds.optional().describe('largest median, in milliseconds; needs 2 calls'),
    p95: milliseconds.optional().describe('largest 95th percentile, in milliseconds; needs 20 calls'),
    p99: milliseconds.optional().describe('largest 99th percentile, in milliseconds; needs 100 calls'),
  }),
);
export type LatencyLimits = z.output<typeof latencyLimitsSchema>;

/** Limits for a server under test. */
export const serverLimitsSchema = lazySchema(() =>
  z.strictObject({
    maxRssMB: z
      .number()
      .positive()
      .optional()
      .describe('largest resident memory of the server, in MB (1024 × 1024 bytes)'),
    maxCpuPercent: z
      .number()
      .positive()
      .optional()
      .describe('largest mean CPU use during the suite; 100 is one core in use all the time'),
    maxTestDurationMs: milliseconds.optional().describe('longest time for one test with its retries, in milliseconds'),
    maxGrowthKBPerCall: milliseconds
      .optional()
      .describe('largest growth of resident memory for each repeated call, in KB (1024 bytes)'),
    latency: latencyLimitsSchema.optional().describe('latency limits of every tool'),
    tools: z
      .record(z.string().min(1), latencyLimitsSchema)
      .optional()
      .describe('latency limits of single tools, instead of `latency`'),
  }),
);
export type ServerLimits = z.output<typeof serverLimitsSchema>;

/** Limits of earlier versions for a file that only switches the monitor on. */
const usualLimits: ServerLimits = { maxRssMB: 1024, maxTestDurationMs: 300_000 };

/** Settings of a monitor of a server. */
export const serverMonitorSchema = lazySchema(() =>
  z.strictObject({
    repeatCalls: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .describe('how often each tool test without an expected error is called again after the tests'),
  }),
);
export type ServerMonitor = z.output<typeof serverMonitorSchema>;

const heapIsHidden = 'read and not checked: the heap of another process cannot be seen; use `maxRssMB`';

const performanceSectionSchema = lazySchema(() =>
  serverLimitsSchema.extend({
    ...serverMonitorSchema.shape,
    maxHeapUsedMB: z.number().optional().describe(heapIsHidden),
    gcTriggerThresholdMB: z.number().optional().describe(heapIsHidden),
  }),
);

/** The `performance` key of a file about an MCP server. */
export const performanceSchema = lazySchema(() =>
  z
    .union([z.boolean(), performanceSectionSchema])
    .describe('memory, CPU and latency of the server during each suite, with limits; `true` sets the usual limits'),
);

/** Keys that are read for the sake of existing files. */
export const uncheckedPerformanceKeys = ['maxHeapUsedMB', 'gcTriggerThresholdMB'] as const;

/** Meaning of the `performance` key. */
export interface Performance {
  readonly monitor: ServerMonitor;
  readonly limits: ServerLimits;
}

/** Undefined where the server is not monitored. */
export function performanceOf(written: z.output<typeof performanceSchema> | undefined): Performance | undefined {
  if (written === undefined || written === false) return undefined;
  if (written === true) return { monitor: { repeatCalls: 0 }, limits: usualLimits };
  const { repeatCalls, maxHeapUsedMB: _heap, gcTriggerThresholdMB: _trigger, ...limits } = written;
  return { monitor: { repeatCalls }, limits };
}

/** Resident memory of a server after a repeated call. */
const memoryPointSchema = lazySchema(() => z.object({ call: z.int().min(1), rssBytes: z.number() }));

/** Observations of the processes of a server during a suite. */
export const serverUsageSchema = lazySchema(() =>
  z.object({
    durationMs: z.number(),
    processes: z
      .object({
        most: z.int().min(1).describe('at the same time'),
        samples: z.int().min(1),
        startRssBytes: z.number().describe('of all processes together, when the suite began'),
        endRssBytes: z.number().describe('of all processes together, when the suite ended'),
        peakRssBytes: z.number().describe('largest sum that was sampled, or the peak of one process if it is larger'),
        cpuMs: z.number().describe('of all processes together, during the suite'),
      })
      .nullable()
      .describe('null where the processes could not be seen'),
    unseen: z.string().optional().describe('why the processes could not be seen'),
    restarts: z.int().min(0).describe('how often the server was started again during the suite'),
    repeated: z.array(
      z.object({
        tool: z.string(),
        latenciesMs: z.array(z.number()).describe('of the calls that succeeded'),
        failed: z.int().min(0),
        firstError: z.string().optional(),
      }),
    ),
    memory: z.array(memoryPointSchema).describe('after repeated calls; at most 500 points'),
    fault: faultSchema.nullable().describe('why the repeated calls could not be finished'),
  }),
);
export type ServerUsage = z.output<typeof serverUsageSchema>;
