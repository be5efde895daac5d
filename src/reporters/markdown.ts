import type { TrialRecord } from '../domain/record.ts';
import { formatDuration } from '../shared/durations.ts';
import { inline } from '../shared/markdown-inline.ts';
import { eachTrial } from '../store/store.ts';
import { detailsText } from './details-text.ts';
import type { Reporter } from './reporter.ts';
import { decidingCriteria, trialTitle } from './trial-text.ts';

/** A report to read on a web page or in a pull request. */
export const markdownReporter: Reporter = {
  name: 'markdown',
  summary: 'Markdown for people and pull requests',
  fileName: 'report.md',
  async *render(stored) {
    const { store, summary } = stored;
    const { run, totals } = summary;
    yield `# ${marks[summary.outcome]} ${summary.reason}\n\n`;
    yield `Run \`${run.runId}\`, ${new Date(run.startedAt).toISOString()}, ${formatDuration(summary.durationMs)}\n\n`;
    yield '| planned | passed | failed | could not be judged | skipped |\n|---:|---:|---:|---:|---:|\n';
    yield `| ${totals.planned} | ${totals.pass} | ${totals.fail} | ${totals.error} | ${totals.skipped} |\n\n`;
    yield '## Scenarios\n\n| scenario | passed | failed | could not be judged |\n|---|---:|---:|---:|\n';
    for (const counts of await store.countByScenario(run.runId)) {
      yield `| ${inline(counts.scenario)} | ${counts.pass} | ${counts.fail} | ${counts.error} |\n`;
    }
    let isFirst = true;
    for await (const record of eachTrial(store, run.runId, ['fail', 'error'])) {
      if (isFirst) yield '\n## What did not pass\n';
      isFirst = false;
      yield problemSection(record);
    }
    for await (const text of detailsText(stored, 'markdown')) yield `\n${text}`;
  },
};

const marks = { pass: '✅', fail: '❌', error: '⚠️' } as const;

function problemSection(record: TrialRecord): string {
  const lines = [`\n### ${marks[record.outcome === 'fail' ? 'fail' : 'error']} ${inline(trialTitle(record))}\n`];
  lines.push(`${inline(record.reason)}\n`);
  for (const { criterion, explanation } of decidingCriteria(record))
    lines.push(`- \`${criterion.replaceAll('`', "'")}\`: ${inline(explanation)}`);
  if (record.fault) lines.push(`- ${record.fault.code}, blame: ${record.fault.blame}. ${inline(record.fault.hint)}`);
  lines.push(`- \`${record.file}\`, trial \`${record.trialId}\``);
  return `${lines.join('\n')}\n`;
}
