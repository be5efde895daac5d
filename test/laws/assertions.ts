import { channels } from '../../src/domain/capability.ts';
import type { PartSpec } from '../../src/domain/scenario.ts';
import { observedCalls } from '../../src/domain/tools/tool-calls.ts';
import { eventsOf, isDirectCall, type Trace } from '../../src/domain/trace.ts';
import { assistantText, turnsOf } from '../../src/domain/turn.ts';
import { judged, part } from './subject.ts';
import { observationsIn } from './watchers.ts';

/** Figures that are computed from any trace. */
const usualMetrics: readonly PartSpec[] = [
  part('tool-call-count'),
  part('token-usage'),
  part('token-usage', { track: 'input' }),
  part('token-usage', { track: 'output' }),
  part('response-length'),
  part('turn-count'),
  part('latency'),
  part('time-to-first-token-ms'),
  part('interaction'),
  part('skill-triggering'),
];

/** Every figure of a trace; the time of a call is one where nothing but the tool was called. */
export function metricsOf(trace: Trace): readonly PartSpec[] {
  return isDirectCall(trace) ? [...usualMetrics, part('duration')] : usualMetrics;
}

/** Assertions about a trace, at and around what it shows: some pass on it, and some do not. */
export async function assertionsAbout(trace: Trace): Promise<readonly PartSpec[]> {
  const { record } = await judged(trace, usualMetrics);
  return [
    ...aboutTools(trace),
    ...aboutTexts(trace),
    ...aboutApprovals(trace),
    ...budgets(record.metrics, costIn(trace)),
    ...channels.map((channel) => part(`at-most-${channel}`, { most: observationsIn(trace, channel) - 1 })),
  ];
}

function aboutApprovals(trace: Trace): PartSpec[] {
  const count = eventsOf(trace, 'approval').length;
  if (count === 0) return [];
  return [part('denial-respected'), ...[0, count].map((times) => part('approval-requested', { times }))];
}

const mostTools = 5;

function aboutTools(trace: Trace): PartSpec[] {
  const calls = observedCalls(trace);
  const names = [...new Set(calls.map(({ tool }) => tool))].slice(0, mostTools);
  const order = calls.map(({ tool }) => tool);
  return [
    ...[...names, 'delete_everything'].flatMap((tool) =>
      aboutTool(tool, calls.filter((call) => call.tool === tool).length),
    ),
    part('tool-call-budget', { maxCalls: Math.max(0, calls.length - 1) }),
    part('tool-call-budget', { maxCalls: calls.length }),
    part('no-failed-calls'),
    part('no-repeated-calls'),
    part('trajectory', { reference: names.length > 0 ? names : ['look'] }),
    ...(order.length > 1 ? [part('tool-order', { tools: order.slice(0, -1), order: 'exact' })] : []),
    ...(names.length > 1 ? [part('tool-order', { tools: names.slice(1), order: 'subset' })] : []),
  ];
}

function aboutTool(tool: string, count: number): PartSpec[] {
  return [
    part('tool-called', { tool }),
    part('tool-called', { tool, times: { min: 0, max: Math.max(0, count - 1) } }),
    part('tool-called', { tool, times: count + 1 }),
    part('tool-not-called', { tool }),
    part('tool-arguments', { tool, criteria: ['input == "never"'] }),
    part('tool-result', { tool, of: 'every', equals: 'never' }),
    part('tool-result', { tool, of: 'every', criteria: ['error == null'] }),
    part('tool-result', { tool, of: 'last', contains: 'never' }),
  ];
}

function aboutTexts(trace: Trace): PartSpec[] {
  const last = turnsOf(trace).at(-1);
  const answer = (last && assistantText(last)) ?? '';
  const said = wordsIn(answer);
  const [first = 'nothing', ...others] = said;
  const elsewhere = wordsIn(textsIn(trace)).find((word) => !answer.includes(word)) ?? 'elsewhere';
  return [
    ...[first, others.at(-1) ?? 'nowhere'].map((text) => part('not-contains', { text })),
    part('contains', { text: elsewhere }),
    part('contains', { text: first }),
    part('starts-with', { text: elsewhere }),
    part('equals', { text: elsewhere }),
    part('regex', { pattern: elsewhere.replace(/\W/g, '.') }),
    part('regex', { pattern: first.replace(/\W/g, '.'), mustMatch: false }),
    part('refusal', { mustRefuse: true }),
    part('refusal', { mustRefuse: false }),
    part('response-criteria', { passCriteria: [`result.text.length < ${answer.length}`] }),
    part('response-criteria', { passCriteria: ['result.toolCalls.length == 0'] }),
    part('response-criteria', { failCriteria: ['result.text.length > 0'] }),
    part('json-schema', { schema: { type: 'object' } }),
  ];
}

function wordsIn(text: string): string[] {
  return [...new Set(text.match(/\p{L}{4,}/gu) ?? [])];
}

function textsIn(trace: Trace): string {
  return trace.map((event) => ('text' in event && typeof event.text === 'string' ? event.text : '')).join('\n');
}

function budgets(figures: Readonly<Record<string, number | null>>, costUsd: number): PartSpec[] {
  const around = (name: string): number[] => {
    const figure = figures[name];
    return typeof figure === 'number' ? [Math.max(0, figure - 1), figure] : [10];
  };
  return [
    ...around('token-usage').map((maxTokens) => part('token-budget', { maxTokens })),
    ...around('token-usage:input').map((maxTokens) => part('token-budget', { maxTokens, inputOnly: true })),
    ...around('token-usage:output').map((maxTokens) => part('token-budget', { maxTokens, outputOnly: true })),
    ...around('latency').map((maxMs) => part('latency-budget', { maxMs })),
    ...around('time-to-first-token-ms').map((maxMs) => part('time-to-first-token', { maxMs })),
    ...around('turn-count').map((maxTurns) => part('turn-budget', { maxTurns: Math.max(1, maxTurns) })),
    ...[costUsd / 2, costUsd].map((maxUsd) => part('cost-budget', { maxUsd })),
  ];
}

function costIn(trace: Trace): number {
  const costs = trace.map((event) => ('costUsd' in event && typeof event.costUsd === 'number' ? event.costUsd : 0));
  return costs.reduce((sum, cost) => sum + cost, 0);
}
