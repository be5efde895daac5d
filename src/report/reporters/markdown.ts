import { costSumText } from '../../domain/cost-sum.ts';
import { judgeShareText } from '../../domain/judge-share.ts';
import { markCountsText } from '../../domain/marks.ts';
import { notJudgedText } from '../../domain/run.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import { inline } from '../../shared/text.ts';
import { ciLines } from '../presentation/ci-text.ts';
import { experimentLines } from '../presentation/experiment-text.ts';
import { hookProblemText, passRateSentence, waitText } from '../presentation/figures.ts';
import { decidingCriteria, trialTitle } from '../presentation/trial-text.ts';
import { alsoText, clusterSize, faultText, firstFailureText, othersText, type TracedCluster } from './cluster-text.ts';
import { detailsText, type Problem, readProblems } from './problems.ts';
import type { Reporter } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';

const lineMarks = { fail: '❌ ', unknown: '⚠️ ', note: '' } as const;

/** A page with more of them is not read. */
const shownProblems = 50;

/** A report to read on a web page or in a pull request. */
export const markdownReporter: Reporter = {
  name: 'markdown',
  summary: 'Markdown for people and pull requests',
  fileName: 'report.md',
  async *render(stored) {
    const { store, summary } = stored;
    const { run } = summary;
    const figures = await readRunFigures(stored);
    const { totals, notJudged } = figures;
    yield `# ${marks[summary.outcome]} ${summary.reason}\n\n`;
    const judge = figures.judge ? ` (judge: ${judgeShareText(figures.judge)})` : '';
    yield `Run \`${run.runId}\`, ${new Date(run.startedAt).toISOString()}, ${formatDuration(figures.durationMs)}, cost: ${costSumText(figures.cost)}${judge}\n\n`;
    yield '| planned | passed | failed | could not be judged | skipped |\n|---:|---:|---:|---:|---:|\n';
    yield `| ${totals.planned} | ${totals.pass}${notJudgedText(notJudged)} | ${totals.fail} | ${totals.error} | ${totals.skipped} |\n\n`;
    yield `Pass rate ${passRateSentence(figures)}\n\n`;
    for (const wait of run.waits ?? []) yield `Requests ${waitText(wait)}\n\n`;
    for (const problem of run.hookProblems ?? []) yield `⚠️ ${inline(hookProblemText(problem))}\n\n`;
    for (const line of experimentLines(run)) yield `- ${inline(line)}\n`;
    if (run.experiment) yield '\n';
    const ci = await readCiReport(stored);
    if (ci) {
      yield `## CI\n\n${marks[ci.outcome]} ${inline(ci.reason)}\n\n`;
      for (const { mark, text } of ciLines(ci).slice(0, shownProblems)) yield `- ${lineMarks[mark]}${inline(text)}\n`;
      yield '\n';
    }
    yield '## Scenarios\n\n| scenario | passed | failed | could not be judged |\n|---|---:|---:|---:|\n';
    for (const counts of await store.countByScenario(run.runId)) {
      yield `| ${inline(counts.scenario)} | ${counts.pass}${notJudgedText(counts.notJudged)}${markCountsText(counts.marks)} | ${counts.fail} | ${counts.error} |\n`;
    }
    const { listed, unlisted } = await readProblems(stored, shownProblems);
    if (listed.length > 0) yield '\n## What did not pass\n';
    for (const problem of listed) yield problemSection(problem);
    if (unlisted > 0) yield `\n… and ${counted(unlisted, 'more trial')} that did not pass.\n`;
    for await (const text of detailsText(stored, 'markdown')) yield `\n${text}`;
  },
};

const marks = { pass: '✅', fail: '❌', error: '⚠️' } as const;

function problemSection({ first: record, count, cluster }: Problem): string {
  const mark = marks[record.outcome === 'fail' ? 'fail' : 'error'];
  const lines = [
    `\n### ${mark} ${inline(cluster && count > 1 ? cluster.title : trialTitle(record))}\n`,
    ...(cluster && count > 1 ? [`${inline(clusterSize(cluster))}. Such as ${inline(trialTitle(record))}:\n`] : []),
    `${inline(record.reason)}\n`,
  ];
  for (const { criterion, explanation } of decidingCriteria(record))
    lines.push(`- \`${criterion.replaceAll('`', "'")}\`: ${inline(explanation)}`);
  if (record.fault) lines.push(`- ${inline(faultText(record.fault, cluster))}`);
  if (cluster) lines.push(...clusterItems(cluster));
  const others = cluster ? alsoText(cluster) : othersText(record, count);
  lines.push(`- \`${record.file}\`, trial \`${record.trialId}\`${others}`);
  return `${lines.join('\n')}\n`;
}

function clusterItems(cluster: TracedCluster): string[] {
  const failure = firstFailureText(cluster);
  return [...(failure === undefined ? [] : [`- ${inline(failure)}`]), `- **Next:** ${inline(cluster.nextStep)}`];
}
