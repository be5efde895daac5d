import { metRealTool } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { list, type Section, table, text } from '../../../shared/blocks/block.ts';
import { counted, formatDuration } from '../../../shared/format.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { nearestRank } from '../../../shared/stats/nearest-rank.ts';
import { mean } from '../../../shared/stats/spread.ts';
import { criteriaCountsText, trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/** A run may have millions of trials. */
const mostTests = 200;
const words = { pass: 'PASS', fail: 'FAIL', error: 'ERROR', skipped: 'SKIPPED' } as const;

/** A line for each test of a tool that is called directly, with the counts of its criteria, and a table of their times. */
export async function criteriaSections(run: StoredRun): Promise<Section[]> {
  const { records, isCut } = await testsOf(run);
  if (records.every(({ criteria }) => criteria === null)) return [];
  const cut = `Only the first ${counted(records.length, 'test')} of the run: the HTML report lists all trials.`;
  const items = records.map((record) => ({
    mark: record.outcome,
    words: [
      { text: words[record.outcome], tone: 'strong' as const },
      ` ${trialTitle(record)} (${record.criteria ? criteriaCountsText(record.criteria) : record.reason})`,
    ],
    trialId: record.trialId,
  }));
  return [{ title: 'Tests', blocks: [list(items), ...(isCut ? [text(cut)] : [])] }, performanceOf(records)];
}

function performanceOf(records: readonly TrialRecord[]): Section {
  const heads = ['scenario', '#tests', '#mean', '#median', '#p95', '#slowest'];
  return { title: 'Performance', blocks: [table(heads, performanceRows(records))] };
}

/** Scenarios with agents, conversations and MCP servers have other sections. */
async function testsOf({ store, summary: { run } }: StoredRun): Promise<{ records: TrialRecord[]; isCut: boolean }> {
  const called = run.scenarios.filter(
    ({ isAgentDriven, isConversation, serverPart }) => !isAgentDriven && !isConversation && serverPart === null,
  );
  const names = new Set(called.map(({ name }) => name));
  const records: TrialRecord[] = [];
  let read = 0;
  if (names.size === 0) return { records, isCut: false };
  for await (const record of eachTrial(store, run.runId)) {
    if (read++ === mostTests) return { records, isCut: true };
    if (names.has(record.scenario)) records.push(record);
  }
  return { records, isCut: false };
}

/** How long the tests of each scenario took; one in which no time was measured has no row. */
function performanceRows(records: readonly TrialRecord[]): string[][] {
  const measured = records.filter((record) => metRealTool(record) && record.durationMs !== null);
  return [...groupedBy(measured, ({ scenario }) => scenario)].map(([scenario, own]) => {
    const sorted = own.map(({ durationMs }) => durationMs ?? 0).sort((a, b) => a - b);
    const figures = [mean(sorted), ...[0.5, 0.95, 1].map((share) => nearestRank(sorted, share))];
    return [scenario, String(sorted.length), ...figures.map(formatDuration)];
  });
}
