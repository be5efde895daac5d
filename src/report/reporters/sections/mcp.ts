import { marksOf } from '../../../domain/marks.ts';
import type { ToolHealthEntry } from '../../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf } from '../../../domain/trace.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { type Block, type Item, list, type Section, type Tone, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';
import { trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';
import type { Medium } from './detail.ts';
import {
  addRepeat,
  type McpRecord,
  type McpTally,
  type Mean,
  type MetricTally,
  newTally,
  type TestTally,
} from './mcp-tally.ts';

/** Hundreds of lists are too many to read; further trials are in `assay show`. */
const mostTrials = { console: 20, markdown: 100, page: 0 } as const;
const mostNotices = 10;
/** Of texts that differ between repeats. */
const mostDetails = 3;
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

/** For each case with an MCP server the tests of its suite, or the metrics of its workflow; repeats are counted. */
export async function* mcpSections({ store, summary }: StoredRun, medium: Medium): AsyncGenerator<Section, void> {
  if (mostTrials[medium] === 0) return;
  let listed = 0;
  for await (const tallies of talliesByCase(eachTrial(store, summary.run.runId))) {
    for (const tally of tallies) {
      const [section] = tallySection(tally);
      if (!section) continue;
      if (listed++ === mostTrials[medium]) return;
      const { first, repeats } = tally;
      const notices = first.toolHealth.length > 0 ? await noticesOf(first, store) : [];
      const items = notices.map((words) => ({ words, mark: 'note' as const }));
      const name = trialTitle({ ...first, repeat: repeats > 1 ? 1 : first.repeat });
      yield { title: `${section.title}: ${name}`, level: 3, blocks: [...section.blocks, list(items)] };
    }
  }
}

/** The variants of one case after the other: the trials of a case follow each other in a run. */
async function* talliesByCase(records: AsyncIterable<TrialRecord>): AsyncGenerator<McpTally<TrialRecord>[], void> {
  let current = '';
  let tallies = new Map<string, McpTally<TrialRecord>>();
  for await (const record of records) {
    const { scenario, file, caseId, variant } = record;
    const testCase = JSON.stringify([scenario, file, caseId]);
    if (testCase !== current) yield [...tallies.values()];
    if (testCase !== current) tallies = new Map();
    current = testCase;
    // Mocked, replayed and faulted trials are not pooled with the others.
    const key = JSON.stringify([variant, marksOf(record)]);
    const tally = tallies.get(key) ?? newTally(record);
    tallies.set(key, tally);
    addRepeat(tally, record);
  }
  yield [...tallies.values()];
}

/** Findings other than the verdicts, such as tools that no test calls. */
async function noticesOf({ trialId }: TrialRecord, store: Store): Promise<string[]> {
  const trace = (await store.readTrace(trialId)) ?? [];
  return [...new Set(eventsOf(trace, 'notice').map(({ message }) => message))].slice(0, mostNotices);
}

/** The tests of a suite, or the metrics of a workflow, with details where something is wrong; nothing for other trials. */
export function mcpSection(record: McpRecord): TitledSection[] {
  const tally = newTally(record);
  addRepeat(tally, record);
  return tallySection(tally);
}

type TitledSection = Section & { readonly title: string };

function tallySection(tally: McpTally): TitledSection[] {
  const blocks = [...healthBlocks(tally), ...workflowBlocks(tally)];
  const [first] = tally.first.toolHealth;
  return blocks.length === 0 ? [] : [{ title: first ? titles[first.kind] : 'Workflow', blocks }];
}

function healthBlocks({ tests, repeats }: McpTally): Block[] {
  const entries = [...tests.values()];
  if (entries.length === 0) return [];
  const isLong = entries.length > mostTests;
  const listed = isLong ? entries.filter(({ states }) => markOf(states) !== 'pass') : entries;
  const passed = sumOf(entries.map(({ states }) => states.pass));
  const total = sumOf(entries.map(({ states }) => countOf(states)));
  const measured = {
    sum: sumOf(entries.map(({ latency }) => latency.sum)),
    count: sumOf(entries.map(({ latency }) => latency.count)),
  };
  const speed = measured.count === 0 ? '' : `, ${milliseconds(meanOf(measured))} on average`;
  const explained = new Set<string>();
  const items = listed.map((test) => {
    const details = detailLines(test.details, repeats);
    // A server that does not start has the same reason for every test.
    const isExplained = details.length > 0 && details.every((detail) => explained.has(detail));
    for (const detail of details) explained.add(detail);
    return {
      mark: markOf(test.states),
      words: [
        test.entry.testName,
        { text: `: ${test.entry.toolName}, ${testText(test, repeats)}`, tone: 'quiet' as const },
      ],
      below: isExplained ? ['the same reason as above'] : details,
    };
  });
  const unlisted = entries.length - listed.length;
  const of = repeats > 1 ? ` in ${repeats} repeats` : '';
  return [
    text(`${passed} of ${counted(total, 'test')}${of} passed${speed}`, scoreTone(passed / total)),
    list(items),
    ...(unlisted > 0 ? [text(`… and ${counted(unlisted, 'test')} that passed`, 'quiet')] : []),
  ];
}

function testText({ entry, states, latency }: TestTally, repeats: number): string {
  if (repeats === 1) return timeText(entry);
  const passed = `${states.pass} of ${countOf(states)}`;
  if (latency.count === 0) return `${passed}, not measured`;
  return `${passed}, ${milliseconds(meanOf(latency))} on average, at most ${milliseconds(latency.most)}`;
}

/** How long the deciding attempt took, and how many it took. */
function timeText({ latency, totalLatency, retryCount }: ToolHealthEntry): string {
  if (latency === null || totalLatency === null) return 'not measured';
  if (retryCount === 0) return milliseconds(latency);
  return `${milliseconds(latency)} (${counted(retryCount, 'retry', 'retries')}, ${milliseconds(totalLatency)} in all)`;
}

function workflowBlocks({ metrics, scores, unjudged, repeats }: McpTally): Block[] {
  if (metrics.size === 0) return [];
  const items: Item[] = [...metrics.values()].map(({ name, states, score, details }) => ({
    mark: markOf(states),
    words: [`${name}: `, ...metricWords({ states, score }, repeats)],
    below: detailLines(details, repeats),
  }));
  const whyNot: Item[] = [...unjudged].map(([reason, count]) => ({
    mark: 'skipped',
    words: `LLM Judge: not judged: ${reason}${timesText(count, repeats)}`,
  }));
  const overall = scores.count === 0 ? 0 : meanOf(scores);
  const of = repeats > 1 ? ` on average of ${repeats} repeats` : '';
  return [text(`score ${overall.toFixed(2)}${of}`, scoreTone(overall)), list([...items, ...whyNot])];
}

function metricWords(
  { states, score }: Pick<MetricTally, 'states' | 'score'>,
  repeats: number,
): Item['words'] & object {
  const mean = score.count === 0 ? undefined : meanOf(score);
  const figure = mean === undefined ? 'not judged' : { text: mean.toFixed(2), tone: scoreTone(mean) };
  return repeats === 1 ? [figure] : [figure, ` on average, ${states.pass} of ${countOf(states)} passed`];
}

/** Different details with the number of repeats that have them; a few, the most frequent first. */
function detailLines(details: ReadonlyMap<string, number>, repeats: number): string[] {
  const frequent = [...details].sort(([, a], [, b]) => b - a);
  const lines = frequent.slice(0, mostDetails).map(([detail, count]) => `${detail}${timesText(count, repeats)}`);
  return frequent.length > mostDetails ? [...lines, `… and ${frequent.length - mostDetails} more`] : lines;
}

function timesText(count: number, repeats: number): string {
  return repeats > 1 ? ` (×${count})` : '';
}

/** The worst of all repeats: what failed once did not pass. */
function markOf({ fail, error }: TestTally['states']): 'pass' | 'fail' | 'error' {
  if (fail > 0) return 'fail';
  return error > 0 ? 'error' : 'pass';
}

function countOf({ pass, fail, error }: TestTally['states']): number {
  return pass + fail + error;
}

function meanOf({ sum, count }: Mean): number {
  return sum / count;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Green from 0.8 on, yellow from 0.6 on. */
function scoreTone(score: number): Tone {
  if (score >= 0.8) return 'good';
  return score >= 0.6 ? 'unsure' : 'bad';
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}
