import { importedFrom, type RunSummary } from '../../domain/run.ts';
import { type Block, type Section, text } from '../../shared/blocks/block.ts';
import { sectionLines } from '../../shared/blocks/draw-text.ts';
import { counted } from '../../shared/format.ts';
import type { RunFigures } from '../compare/run-figures.ts';
import { ciSection, problemSection, scenarioList, totalsBlocks } from '../presentation/run-text.ts';
import { readProblems } from './read-problems.ts';
import type { Reporter, ReportStyle, StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';
import { detailSections } from './sections/details.ts';

const shownProblems = 20;
const shownScenarios = 40;
const shownCiLines = 40;
/** Columns where the report does not go to a terminal: the table of guidance fits. */
const usualWidth = 102;

/** The final report for people: what failed, why, and what to do. */
export const consoleReporter: Reporter = {
  name: 'console',
  summary: 'text for people',
  fileName: 'report.txt',
  async *render(run, { color, width = usualWidth }) {
    const { store, summary } = run;
    const { runId } = summary.run;
    const figures = await readRunFigures(run);
    // Sections are indented by two columns; lines that are copied stay whole.
    const fitting = { color, indent: '  ', width: width - 2 };
    const whole = { ...fitting, width: Number.POSITIVE_INFINITY };
    yield drawn(scenarioList(await store.countByScenario(runId), summary, shownScenarios), color);
    const { listed, unlisted } = await readProblems(run, shownProblems);
    for (const problem of listed) yield linesOf(problemSection(problem), whole);
    const hidden = `… and ${counted(unlisted, 'more trial')} that did not pass: assay show ${runId} --clusters`;
    if (unlisted > 0) yield drawn([text(hidden)], color);
    yield drawn(againBlocks(summary), color);
    for await (const section of detailSections(run, figures, 'console')) yield linesOf(section, fitting);
    const ci = await readCiReport(run);
    if (ci) yield linesOf(ciSection(ci, shownCiLines), whole);
    yield await totalsText(run, figures, color);
  },
};

/** Totals, cost, time and id of a run, which close every report. */
export async function runTotalsText(run: StoredRun, { color }: ReportStyle): Promise<string> {
  return totalsText(run, await readRunFigures(run), color);
}

/** Most runs are not attacked, and need none of its code. */
async function totalsText(run: StoredRun, figures: RunFigures, color: boolean): Promise<string> {
  return drawn(totalsBlocks(run.summary, figures, await readAttackWarning(run)), color);
}

/** Names attacks that succeeded; undefined where none did. */
export async function readAttackWarning(run: StoredRun): Promise<string | undefined> {
  if (!run.summary.run.request.attacks) return undefined;
  const { readAttackTables } = await import('./sections/attacks.ts');
  const { attackWarning } = await import('../presentation/attack-text.ts');
  return attackWarning(await readAttackTables(run));
}

/** The commands that run the problems of a run again; none for results of other programs. */
function againBlocks({ run, totals }: RunSummary): Block[] {
  if (importedFrom(run) !== undefined) return [];
  const commands = [
    ...(totals.fail > 0 ? ['assay run --failed'] : []),
    ...(totals.error > 0 ? ['assay run --retry-errors'] : []),
  ];
  return commands.length === 0 ? [] : [text(`Run again: ${commands.join(', ')}`, 'quiet')];
}

function drawn(blocks: readonly Block[], color: boolean): string {
  return blocks.length === 0 ? '' : linesOf({ blocks }, { color, indent: '', width: Number.POSITIVE_INFINITY });
}

function linesOf(section: Section, style: Parameters<typeof sectionLines>[1]): string {
  const lines = sectionLines(section, style);
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}
