import { createColors } from 'picocolors';
import { averageLatency, type ToolHealthEntry } from '../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { counted } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

type Colors = ReturnType<typeof createColors>;
type McpRecord = Pick<TrialRecord, 'toolHealth' | 'workflow' | 'workflowScore' | 'judge'>;

/** Of a longer suite only what did not pass is listed. */
const mostTests = 50;
const widestName = 40;
const marks = { pass: '✓', fail: '✗', error: '!' } as const;

/** Whether a trial was one with an MCP server, and has something to show of it. */
export function hasMcpResults({ toolHealth, workflow }: McpRecord): boolean {
  return toolHealth.length > 0 || workflow.length > 0;
}

const titles = {
  tool: 'Tool health',
  resource: 'Resources',
  prompt: 'Prompts',
  sampling: 'Sampling',
  elicitation: 'Elicitation',
  oauth2: 'OAuth',
} as const;

export function mcpTitle({ toolHealth: [first] }: McpRecord): string {
  return first ? titles[first.kind] : 'Workflow';
}

/** The tests of a suite or the metrics of a workflow, one line each, with details where something is wrong. */
export function mcpLines(record: McpRecord, hasColor: boolean): string[] {
  const colors = createColors(hasColor);
  return [...healthLines(record.toolHealth, colors), ...workflowLines(record, colors)];
}

/** How many tests of a suite passed, and how quick they were. */
export function healthSummary(entries: readonly ToolHealthEntry[]): string {
  const passed = entries.filter(({ state }) => state === 'pass').length;
  const averageMs = averageLatency(entries);
  const speed = averageMs === null ? '' : `, ${milliseconds(averageMs)} on average`;
  return `${passed} of ${counted(entries.length, 'test')} passed${speed}`;
}

/** How long the deciding attempt took, and how many it took. */
export function timeText({ latency, totalLatency, retryCount }: ToolHealthEntry): string {
  if (latency === null || totalLatency === null) return 'not measured';
  if (retryCount === 0) return milliseconds(latency);
  return `${milliseconds(latency)} (${counted(retryCount, 'retry', 'retries')}, ${milliseconds(totalLatency)} in all)`;
}

/** Why the judge of a workflow has no metric; undefined when it has one, or was not wanted. */
export function missingJudgeReason({ judge, workflow }: Pick<TrialRecord, 'judge' | 'workflow'>): string | undefined {
  const hasMetric = workflow.some(({ metric }) => metric === 'LLM Judge');
  return judge && !hasMetric ? judge.reason : undefined;
}

function healthLines(entries: readonly ToolHealthEntry[], colors: Colors): string[] {
  if (entries.length === 0) return [];
  const listed = entries.length > mostTests ? entries.filter(({ state }) => state !== 'pass') : entries;
  const width = Math.min(widestName, Math.max(...listed.map(({ testName }) => testName.length), 0));
  const share = entries.filter(({ passed }) => passed).length / entries.length;
  const lines = listed.flatMap((entry) => {
    const mark = stateColor(entry.state, colors)(marks[entry.state]);
    const name = printable(entry.testName).padEnd(width);
    const line = `${mark} ${name}  ${colors.dim(`${printable(entry.toolName)}  ${timeText(entry)}`)}`;
    return entry.state === 'pass' ? [line] : [line, `    ${printable(entry.details)}`];
  });
  const unlisted = entries.length - listed.length;
  const more = unlisted > 0 ? [colors.dim(`… and ${counted(unlisted, 'test')} that passed`)] : [];
  return [scoreColor(share, colors)(healthSummary(entries)), ...lines, ...more];
}

function workflowLines({ workflow, workflowScore, judge }: McpRecord, colors: Colors): string[] {
  if (workflow.length === 0) return [];
  const width = Math.max(...workflow.map(({ metric }) => metric.length));
  const overall = workflowScore ?? 0;
  const lines = workflow.flatMap(({ metric, passed, score, details }) => {
    const mark = passed ? colors.green('✓') : colors.red('✗');
    const line = `${mark} ${metric.padEnd(width)}  ${scoreColor(score, colors)(score.toFixed(2))}`;
    return [line, `    ${colors.dim(printable(details))}`];
  });
  const reason = missingJudgeReason({ judge, workflow });
  const notJudged = reason === undefined ? [] : [`- ${'LLM Judge'.padEnd(width)}  not judged: ${printable(reason)}`];
  return [`score ${scoreColor(overall, colors)(overall.toFixed(2))}`, ...lines, ...notJudged];
}

function stateColor(state: ToolHealthEntry['state'], colors: Colors): (text: string) => string {
  if (state === 'pass') return colors.green;
  return state === 'fail' ? colors.red : colors.yellow;
}

/** Green from 0.8 on, yellow from 0.6 on. */
function scoreColor(score: number, colors: Colors): (text: string) => string {
  if (score >= 0.8) return colors.green;
  return score >= 0.6 ? colors.yellow : colors.red;
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}
