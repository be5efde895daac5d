import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf } from '../../domain/trace.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { inline, printable } from '../../shared/text.ts';
import { trialTitle } from '../presentation/trial-text.ts';
import { hasMcpResults, healthSummary, mcpLines, mcpTitle, missingJudgeReason, timeText } from './mcp-text.ts';
import type { StoredRun } from './reporter.ts';

/** Hundreds of tables are too many to read; further trials are in `assay show`. */
const mostTrials = { console: 20, markdown: 100 } as const;
const mostNotices = 10;

/** For each trial with an MCP server the tests of its suite, or the metrics of its workflow. */
export async function* mcpSection(
  { store, summary }: StoredRun,
  style: 'console' | 'markdown',
  hasColor: boolean,
): AsyncGenerator<string, void> {
  let listed = 0;
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (!hasMcpResults(record)) continue;
    if (listed++ === mostTrials[style]) return;
    const notices = record.toolHealth.length > 0 ? await noticesOf(record, store) : [];
    yield style === 'markdown' ? markdownTables(record, notices) : consoleText(record, notices, hasColor);
  }
}

/** Findings other than the verdicts, such as tools that no test calls. */
async function noticesOf({ trialId }: TrialRecord, store: Store): Promise<string[]> {
  const trace = (await store.readTrace(trialId)) ?? [];
  return [...new Set(eventsOf(trace, 'notice').map(({ message }) => message))].slice(0, mostNotices);
}

function consoleText(record: TrialRecord, notices: readonly string[], hasColor: boolean): string {
  const lines = [...mcpLines(record, hasColor), ...notices.map((notice) => `· ${printable(notice)}`)];
  return [`${mcpTitle(record)}: ${printable(trialTitle(record))}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

const states = { pass: '✓', fail: '✗', error: '! not judged' } as const;

function markdownTables(record: TrialRecord, notices: readonly string[]): string {
  const list = notices.map((notice) => `- ${inline(notice)}\n`).join('');
  const tables = [healthTable(record), workflowTable(record), list].filter((table) => table !== '');
  return `### ${inline(trialTitle(record))}\n\n${tables.join('\n')}`;
}

function healthTable({ toolHealth }: TrialRecord): string {
  if (toolHealth.length === 0) return '';
  const rows = toolHealth.map(
    (entry) =>
      `| ${states[entry.state]} | ${inline(entry.testName)} | ${inline(entry.toolName)} | ${timeText(entry)} | ${inline(entry.details)} |`,
  );
  return `${healthSummary(toolHealth)}\n\n| | test | tool | time | details |\n|---|---|---|---:|---|\n${rows.join('\n')}\n`;
}

function workflowTable({ workflow, workflowScore, judge }: TrialRecord): string {
  if (workflow.length === 0) return '';
  const rows = workflow.map(
    ({ metric, passed, score, details }) =>
      `| ${passed ? states.pass : states.fail} | ${inline(metric)} | ${score.toFixed(2)} | ${inline(details)} |`,
  );
  const reason = missingJudgeReason({ judge, workflow });
  if (reason !== undefined) rows.push(`| - | LLM Judge | | not judged: ${inline(reason)} |`);
  return `Score ${(workflowScore ?? 0).toFixed(2)}\n\n| | metric | score | details |\n|---|---|---:|---|\n${rows.join('\n')}\n`;
}
