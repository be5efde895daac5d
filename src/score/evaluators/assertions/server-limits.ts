import { AssayError } from '../../../domain/errors.ts';
import { inMB } from '../../../domain/mcp/server-usage-text.ts';
import type { Fault } from '../../../domain/outcome.ts';
import { type LatencyLimits, type ServerLimits, serverLimitsSchema } from '../../../domain/server-performance.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { fewestGrowthPoints } from '../../../shared/stats/growth.ts';
import { type Answer, defineEvaluator } from '../evaluator.ts';
import {
  growthText,
  inKB,
  percentileOf,
  percentiles,
  type ServerFigures,
  serverFigures,
  type ToolLatencies,
} from '../server-figures.ts';

/** How one limit stands: undefined `holds` means that it could not be judged. */
interface Check {
  readonly holds: boolean | undefined;
  readonly text: string;
}

/** An MCP server stays within its limits during a suite. */
export const serverLimits = defineEvaluator({
  type: 'server-limits',
  kind: 'assertion',
  summary: 'an MCP server stayed within its limits of memory, CPU, latency and growth during a suite',
  example: { maxRssMB: 512, latency: { p50: 100 } },
  reads: { channels: { times: 'total' } },
  configSchema: () => serverLimitsSchema,
  prepare:
    (limits) =>
    ({ trace }) => {
      const figures = serverFigures(trace);
      if (!figures) return notObserved('The server was not monitored; set `performance` in the file of the server.');
      return verdictOf(checksOf(limits, figures, trace), figures.usage.fault);
    },
});

/** A limit that is exceeded decides, whatever could not be judged beside it. */
function verdictOf(checks: readonly Check[], fault: Fault | null): Answer<'assertion'> {
  const exceeded = checks.filter(({ holds }) => holds === false);
  const held = checks.filter(({ holds }) => holds === true);
  const texts = (some: readonly Check[]): string => some.map(({ text }) => text).join('; ');
  if (exceeded.length > 0) return { state: 'fail', value: held.length / checks.length, reason: texts(exceeded) };
  if (fault) {
    const message = `The repeated calls could not be finished: ${fault.message}`;
    return { state: 'error', error: new AssayError(fault.code, message, { hint: fault.hint }) };
  }
  const unjudged = checks.filter(({ holds }) => holds === undefined);
  if (unjudged.length > 0) return notObserved(texts(unjudged));
  return { state: 'pass', value: 1, reason: checks.length === 0 ? 'All repeated calls were answered' : texts(held) };
}

function notObserved(message: string): Answer<'assertion'> {
  return { state: 'error', error: new AssayError('NOT_OBSERVED', message) };
}

function checksOf(limits: ServerLimits, figures: ServerFigures, trace: Trace): Check[] {
  const { maxRssMB, maxCpuPercent, maxTestDurationMs, maxGrowthKBPerCall } = limits;
  return [
    ...(maxRssMB === undefined ? [] : [memoryCheck(maxRssMB, figures)]),
    ...(maxCpuPercent === undefined ? [] : [cpuCheck(maxCpuPercent, figures)]),
    ...(maxTestDurationMs === undefined ? [] : testChecks(maxTestDurationMs, trace)),
    ...(maxGrowthKBPerCall === undefined ? [] : [growthCheck(maxGrowthKBPerCall, figures)]),
    ...figures.tools.flatMap((tool) => latencyChecks(latencyLimitsOf(limits, tool), tool)),
  ];
}

function memoryCheck(maxRssMB: number, { usage: { processes, unseen } }: ServerFigures): Check {
  if (!processes) return { holds: undefined, text: `Memory is unknown: ${unseen}` };
  const holds = processes.peakRssBytes <= maxRssMB * 1024 * 1024;
  return { holds, text: `Memory up to ${inMB(processes.peakRssBytes)} MB, the limit is ${maxRssMB} MB` };
}

function cpuCheck(maxCpuPercent: number, { usage, cpuPercent }: ServerFigures): Check {
  if (cpuPercent === undefined) return { holds: undefined, text: `CPU time is unknown: ${usage.unseen}` };
  return {
    holds: cpuPercent <= maxCpuPercent,
    text: `CPU ${cpuPercent.toFixed(1)} %, the limit is ${maxCpuPercent} %`,
  };
}

function testChecks(maxMs: number, trace: Trace): Check[] {
  const slow = eventsOf(trace, 'mcp-test').filter(({ totalMs }) => totalMs > maxMs);
  if (slow.length === 0) return [{ holds: true, text: `No test took longer than ${maxMs} ms` }];
  return slow.map(({ name, totalMs }) => ({
    holds: false,
    text: `"${name}" took ${Math.round(totalMs)} ms, the limit is ${maxMs} ms`,
  }));
}

/** An interval on both sides of the limit decides nothing. */
function growthCheck(maxKB: number, { usage, growth, tools }: ServerFigures): Check {
  const unjudged = (why: string): Check => ({ holds: undefined, text: `Growth of memory could not be judged: ${why}` });
  const failing = tools.find(({ failed }) => failed > 0);
  if (!usage.processes) return unjudged(usage.unseen ?? 'memory is unknown');
  if (usage.restarts > 0) return unjudged('the server was restarted during the suite');
  if (failing) return unjudged(failedCalls(failing));
  if (!growth) {
    const needed = Math.ceil(fewestGrowthPoints * 1.25);
    return unjudged(`${usage.memory.length} repeated calls are too few, ${needed} are needed; raise \`repeatCalls\``);
  }
  const text = `Memory grew by ${growthText(growth)}, the limit is ${maxKB} KB`;
  if (inKB(growth.low) > maxKB) return { holds: false, text };
  if (inKB(growth.high) <= maxKB) return { holds: true, text };
  return unjudged(`${growthText(growth)} is on both sides of the limit of ${maxKB} KB; raise \`repeatCalls\``);
}

/** A tool that is only tested with calls that must fail has no latency, unless it is limited by its name. */
function latencyLimitsOf(
  { tools, latency = {} }: ServerLimits,
  { tool, sortedMs, failed }: ToolLatencies,
): LatencyLimits {
  return tools?.[tool] ?? (sortedMs.length > 0 || failed > 0 ? latency : {});
}

function latencyChecks(limits: LatencyLimits, latencies: ToolLatencies): Check[] {
  const { tool, sortedMs, failed } = latencies;
  return percentiles.flatMap(({ name, fewestCalls }): Check[] => {
    const limit = limits[name];
    if (limit === undefined) return [];
    const actual = percentileOf(sortedMs, name);
    const unjudged = `${name} of "${tool}" could not be judged`;
    if (failed > 0) return [{ holds: undefined, text: `${unjudged}: ${failedCalls(latencies)}` }];
    if (actual === undefined) {
      const text = `${unjudged}: ${sortedMs.length} of ${fewestCalls} calls; raise \`repeatCalls\``;
      return [{ holds: undefined, text }];
    }
    return [
      { holds: actual <= limit, text: `${name} of "${tool}" is ${actual.toFixed(1)} ms, the limit is ${limit} ms` },
    ];
  });
}

function failedCalls({ tool, failed, firstError }: ToolLatencies): string {
  return `${failed} repeated calls of "${tool}" failed, the first with: ${firstError}`;
}
