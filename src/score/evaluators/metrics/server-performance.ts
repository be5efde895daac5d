import { inMB } from '../../../domain/mcp/server-usage-text.ts';
import { defineEvaluator } from '../evaluator.ts';
import { growthText, inKB, percentileOf, percentiles, type ServerFigures, serverFigures } from '../server-figures.ts';

/** Memory, CPU time and latencies of a server under test. */
export const serverPerformance = defineEvaluator({
  type: 'server-performance',
  kind: 'metric',
  summary: 'memory (peak in MB), CPU, latency percentiles and growth of an MCP server during a suite',
  reads: { channels: { times: 'total' } },
  prepare:
    () =>
    ({ trace }) => {
      const figures = serverFigures(trace);
      if (!figures) return { state: 'no-data', reason: 'The server was not monitored' };
      const metrics = metricsOf(figures);
      const { processes, unseen } = figures.usage;
      if (!processes) return { state: 'no-data', reason: `Memory and CPU time are unknown: ${unseen}`, metrics };
      const reason = `Memory up to ${inMB(processes.peakRssBytes)} MB, ${processes.cpuMs} ms of CPU time; ${leakHint(figures)}`;
      return { state: 'measured', value: inMB(processes.peakRssBytes), reason, metrics };
    },
});

function leakHint({ growth, usage }: ServerFigures): string {
  if (!growth) {
    const why = usage.restarts > 0 ? 'the server was restarted' : 'too few repeated calls';
    return `growth of memory could not be judged: ${why}`;
  }
  if (growth.low <= 0) return `no leak shown: memory changed by ${growthText(growth)}`;
  return `memory grew by ${growthText(growth)}: a leak, or a heap that still fills (more \`repeatCalls\` distinguish them)`;
}

function metricsOf({ usage: { processes }, cpuPercent, growth, tools }: ServerFigures): Record<string, number | null> {
  const latencies = tools.flatMap(({ tool, sortedMs }) =>
    percentiles.map(({ name }) => [`latency.${tool}.${name}`, percentileOf(sortedMs, name) ?? null] as const),
  );
  return {
    'server.cpuMs': processes?.cpuMs ?? null,
    'server.cpuPercent': cpuPercent ?? null,
    'server.growthKBPerCall': growth ? inKB(growth.perStep) : null,
    'server.growthKBPerCall.low': growth ? inKB(growth.low) : null,
    'server.growthKBPerCall.high': growth ? inKB(growth.high) : null,
    ...Object.fromEntries(latencies),
  };
}
