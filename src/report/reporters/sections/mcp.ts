import { averageLatency, type ToolHealthEntry } from '../../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf } from '../../../domain/trace.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { type Block, type Item, list, type Section, type Tone, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';
import { trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';
import type { Medium } from './detail.ts';

type McpRecord = Pick<TrialRecord, 'toolHealth' | 'workflow' | 'workflowScore' | 'judge'>;

/** Hundreds of lists are too many to read; further trials are in `assay show`. */
const mostTrials = { console: 20, markdown: 100, page: 0 } as const;
const mostNotices = 10;
/** Of a longer suite only what did not pass is listed. */
const mostTests = 50;

const titles = {
  tool: 'Tool health',
  resource: 'Resources',
  prompt: 'Prompts',
  sampling: 'Sampling',
  elicitation: 'Elicitation',
  oauth2: 'OAuth',
} as const;

/** For each trial with an MCP server the tests of its suite, or the metrics of its workflow. */
export async function* mcpSections({ store, summary }: StoredRun, medium: Medium): AsyncGenerator<Section, void> {
  let listed = 0;
  for await (const record of eachTrial(store, summary.run.runId)) {
    const [section] = mcpSection(record);
    if (!section) continue;
    if (listed++ === mostTrials[medium]) return;
    const notices = record.toolHealth.length > 0 ? await noticesOf(record, store) : [];
    const items = notices.map((words) => ({ words, mark: 'note' as const }));
    yield { title: `${section.title}: ${trialTitle(record)}`, level: 3, blocks: [...section.blocks, list(items)] };
  }
}

/** Findings other than the verdicts, such as tools that no test calls. */
async function noticesOf({ trialId }: TrialRecord, store: Store): Promise<string[]> {
  const trace = (await store.readTrace(trialId)) ?? [];
  return [...new Set(eventsOf(trace, 'notice').map(({ message }) => message))].slice(0, mostNotices);
}

/** The tests of a suite, or the metrics of a workflow, with details where something is wrong; nothing for other trials. */
export function mcpSection(record: McpRecord): (Section & { readonly title: string })[] {
  const blocks = [...healthBlocks(record.toolHealth), ...workflowBlocks(record)];
  const [first] = record.toolHealth;
  return blocks.length === 0 ? [] : [{ title: first ? titles[first.kind] : 'Workflow', blocks }];
}

function healthBlocks(entries: readonly ToolHealthEntry[]): Block[] {
  if (entries.length === 0) return [];
  const isLong = entries.length > mostTests;
  const listed = isLong ? entries.filter(({ state }) => state !== 'pass') : entries;
  const passed = entries.filter(({ state }) => state === 'pass').length;
  const averageMs = averageLatency(entries);
  const speed = averageMs === null ? '' : `, ${milliseconds(averageMs)} on average`;
  const items = listed.map((entry) => ({
    mark: entry.state,
    words: [entry.testName, { text: `: ${entry.toolName}, ${timeText(entry)}`, tone: 'quiet' as const }],
    below: entry.state === 'pass' ? [] : [entry.details],
  }));
  const unlisted = entries.length - listed.length;
  return [
    text(`${passed} of ${counted(entries.length, 'test')} passed${speed}`, scoreTone(passed / entries.length)),
    list(items),
    ...(unlisted > 0 ? [text(`… and ${counted(unlisted, 'test')} that passed`, 'quiet')] : []),
  ];
}

/** How long the deciding attempt took, and how many it took. */
function timeText({ latency, totalLatency, retryCount }: ToolHealthEntry): string {
  if (latency === null || totalLatency === null) return 'not measured';
  if (retryCount === 0) return milliseconds(latency);
  return `${milliseconds(latency)} (${counted(retryCount, 'retry', 'retries')}, ${milliseconds(totalLatency)} in all)`;
}

function workflowBlocks({ workflow, workflowScore, judge }: McpRecord): Block[] {
  if (workflow.length === 0) return [];
  const items: Item[] = workflow.map(({ metric, passed, score, details }) => ({
    mark: passed ? 'pass' : 'fail',
    words: [`${metric}: `, { text: score.toFixed(2), tone: scoreTone(score) }],
    below: [details],
  }));
  // Why the judge has no metric, where one was wanted.
  const isUnjudged = judge && !workflow.some(({ metric }) => metric === 'LLM Judge');
  const unjudged: Item[] = isUnjudged ? [{ mark: 'skipped', words: `LLM Judge: not judged: ${judge.reason}` }] : [];
  const overall = workflowScore ?? 0;
  return [text(`score ${overall.toFixed(2)}`, scoreTone(overall)), list([...items, ...unjudged])];
}

/** Green from 0.8 on, yellow from 0.6 on. */
function scoreTone(score: number): Tone {
  if (score >= 0.8) return 'good';
  return score >= 0.6 ? 'unsure' : 'bad';
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}
