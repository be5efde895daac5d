import { notJudgedText } from '../../domain/run.ts';
import { type Section, table, text } from '../../shared/blocks/block.ts';
import { drawMarkdown } from '../../shared/blocks/draw-markdown.ts';
import { counted } from '../../shared/format.ts';
import { ciSection, problemSection, scenarioList, totalsBlocks } from '../presentation/run-text.ts';
import { readAttackWarning } from './console.ts';
import { readProblems } from './read-problems.ts';
import type { Reporter, StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';
import { detailSections } from './sections/details.ts';

/** A page with more of them is not read. */
const shownProblems = 50;
const marks = { pass: '✅', fail: '❌', error: '⚠️' } as const;

/** A report to read on a web page or in a pull request. */
export const markdownReporter: Reporter = {
  name: 'markdown',
  summary: 'Markdown for people and pull requests',
  fileName: 'report.md',
  async *render(run) {
    let isFirst = true;
    for await (const section of sectionsOf(run)) {
      const written = drawMarkdown([section]);
      if (written !== '\n') yield isFirst ? written : `\n${written}`;
      isFirst = false;
    }
  },
};

async function* sectionsOf(run: StoredRun): AsyncGenerator<Section, void> {
  const { store, summary } = run;
  const { outcome, reason, totals } = summary;
  const figures = await readRunFigures(run);
  const started = text(`started ${new Date(summary.run.startedAt).toISOString()}`);
  const { planned, pass, fail, error, skipped, notRun } = totals;
  const counts = [[planned, `${pass}${notJudgedText(figures.notJudged)}`, fail, error, skipped, notRun].map(String)];
  const heads = ['#planned', '#passed', '#failed', '#could not be judged', '#skipped', '#not run'];
  const lines = totalsBlocks(summary, figures, await readAttackWarning(run));
  const blocks = [table(heads, counts), ...lines, started];
  yield { title: `${marks[outcome]} ${reason}`, level: 1, blocks };
  const ci = await readCiReport(run);
  if (ci) yield ciSection(ci, shownProblems);
  const scenarios = await store.countByScenario(summary.run.runId);
  yield { title: 'Scenarios', blocks: scenarioList(scenarios, summary, Number.POSITIVE_INFINITY) };
  const { listed, unlisted } = await readProblems(run, shownProblems);
  const failed = counted(totals.fail + totals.error, 'trial');
  const hidden = unlisted > 0 ? `, of which ${unlisted} are not listed` : '';
  if (listed.length > 0) yield { title: 'What did not pass', blocks: [text(`${failed}${hidden}`)] };
  for (const problem of listed) yield problemSection(problem);
  yield* detailSections(run, figures, 'markdown');
}
