import { createColors } from 'picocolors';
import { costSumText, wholeCost } from '../../domain/cost-sum.ts';
import { judgeShareText } from '../../domain/judge-share.ts';
import { markCountParts, markCountsText } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import {
  absentText,
  importedFrom,
  notJudgedText,
  plannedTrials,
  type RunSummary,
  timedOutText,
} from '../../domain/run.ts';
import { toolErrorText } from '../../domain/tool-error.ts';
import type { ScenarioCounts } from '../../keep/store/store.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import { printable, shorten } from '../../shared/text.ts';
import type { CiVerdict } from '../compare/ci-verdict.ts';
import type { RunFigures } from '../compare/run-figures.ts';
import { ciLines } from '../presentation/ci-text.ts';
import { experimentLines } from '../presentation/experiment-text.ts';
import { hookProblemText, passRateSentence, waitText } from '../presentation/figures.ts';
import { decidingCriteria, decidingJudgements, trialTitle } from '../presentation/trial-text.ts';
import { alsoText, clusterSize, faultText, firstFailureText, othersText, type TracedCluster } from './cluster-text.ts';
import { detailsText, type Problem, readProblems } from './problems.ts';
import type { Reporter, ReportStyle, StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';

type Colors = ReturnType<typeof createColors>;

const shownProblems = 20;
const shownScenarios = 40;

/** The final report for people: what failed, why, and what to do. */
export const consoleReporter: Reporter = {
  name: 'console',
  summary: 'text for people',
  fileName: 'report.txt',
  async *render(run, style) {
    const { store, summary } = run;
    const colors = createColors(style.color);
    // Sections are indented by two columns.
    const inner = style.width === undefined ? style : { ...style, width: style.width - 2 };
    const { runId } = summary.run;
    const scenarios = await store.countByScenario(runId);
    yield '\n';
    for (const counts of scenarios.slice(0, shownScenarios)) yield scenarioLine(counts, summary, colors);
    if (scenarios.length > shownScenarios)
      yield `  … and ${counted(scenarios.length - shownScenarios, 'more scenario')}\n`;

    const { listed, unlisted } = await readProblems(run, shownProblems);
    for (const problem of listed) yield problemText(problem, colors);
    if (unlisted > 0) {
      yield `\n  … and ${counted(unlisted, 'more trial')} that did not pass: assay show ${runId} --clusters\n`;
    }
    yield colors.dim(againText(summary));
    for await (const text of detailsText(run, 'console', inner)) yield `\n${indented(text)}\n`;
    const ci = await readCiReport(run);
    if (ci) yield ciText(ci, colors);
    yield await runTotalsText(run, style);
  },
};

/** A scenario whose run lacks trials may be one that lacks them: only those that are known to be whole are green. */
function scenarioLine(counts: ScenarioCounts, { run, absent }: RunSummary, colors: Colors): string {
  const { scenario, pass, fail, error, notJudged, marks } = counts;
  const stored = pass + fail + error;
  const planned = absent === 0 ? stored : plannedTrials(run, counts);
  const isWhole = planned !== undefined && planned <= stored;
  const mark =
    fail > 0
      ? colors.red('✗')
      : error > 0 || !isWhole
        ? colors.yellow('!')
        : stored > 0
          ? colors.green('✓')
          : colors.dim('-');
  const share = `${pass}/${planned ?? stored}${planned === undefined ? ' of those that ran' : ''}`;
  const notes = colors.yellow(`${notJudgedText(notJudged)}${markCountsText(marks)}`);
  return `  ${mark} ${scenario} ${colors.dim(share)}${notes}\n`;
}

/** Totals, cost, time and id of a run, which close every report. */
export async function runTotalsText(run: StoredRun, { color }: ReportStyle): Promise<string> {
  return closingText(run.summary, await readRunFigures(run), await attackLines(run), createColors(color));
}

const shownCiLines = 40;

function ciText(ci: CiVerdict, colors: Colors): string {
  const marks = { fail: colors.red('✗'), unknown: colors.yellow('!'), note: colors.dim('-') };
  const lines = ciLines(ci);
  const texts = lines.slice(0, shownCiLines).map(({ mark, text }) => `    ${marks[mark]} ${printable(text)}\n`);
  const more = lines.length > shownCiLines ? `    … and ${counted(lines.length - shownCiLines, 'more line')}\n` : '';
  const head = { pass: colors.green('✓'), fail: colors.red('✗'), error: colors.yellow('!') }[ci.outcome];
  return `\n  ${head} CI: ${printable(ci.reason)}\n${texts.join('')}${more}`;
}

/** The commands that run the problems of a run again; none for results of other programs. */
function againText({ run, totals }: RunSummary): string {
  if (importedFrom(run) !== undefined) return '';
  const commands = [
    ...(totals.fail > 0 ? ['assay run --failed'] : []),
    ...(totals.error > 0 ? ['assay run --retry-errors'] : []),
  ];
  return commands.length === 0 ? '' : `\n  Run again: ${commands.join(', ')}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function problemText({ first: record, count, cluster }: Problem, colors: Colors): string {
  const label = record.outcome === 'fail' ? colors.red(colors.bold('FAIL ')) : colors.yellow(colors.bold('ERROR'));
  const lines = ['', `  ${label} ${colors.bold(trialTitle(record))} ${colors.dim(record.file)}`];
  const criteria = decidingCriteria(record);
  lines.push(...reasonLines(record, criteria.length > 0).map((line) => `        ${printable(line)}`));
  for (const { criterion, explanation } of criteria) {
    lines.push(`        ${colors.red('✗')} ${printable(criterion)}`, `          ${printable(explanation)}`);
  }
  lines.push(...judgeLines(record, colors));
  if (record.fault) lines.push(`        ${colors.dim(faultText(record.fault, cluster))}`);
  if (cluster) lines.push(...clusterLines(cluster));
  const others = cluster ? alsoText(cluster) : othersText(record, count);
  lines.push(colors.dim(`        assay show ${record.trialId}${others}`));
  return `${lines.join('\n')}\n`;
}

const shownJudged = 5;
const longestQuote = 300;

/** The criteria that the judge did not find met, and the words that it rests on. */
function judgeLines(record: TrialRecord, colors: Colors): string[] {
  const judged = decidingJudgements(record);
  const more = judged.length - shownJudged;
  return [
    ...judged
      .slice(0, shownJudged)
      .flatMap(({ text, answer, reason, quotes }) => [
        `        ${answer === 'cannot-tell' ? colors.yellow('?') : colors.red('✗')} ${printable(text)}`,
        ...[reason, ...quotes.map((quote) => shorten(quote, longestQuote))].map(
          (line) => `          ${printable(line)}`,
        ),
      ]),
    ...(more > 0 ? [`        … and ${counted(more, 'more criterion', 'more criteria')} of the judge`] : []),
  ];
}

function clusterLines(cluster: TracedCluster): string[] {
  const lines = [
    ...(cluster.count > 1 ? [`${clusterSize(cluster)}: ${cluster.title}`] : []),
    ...[firstFailureText(cluster)].flatMap((text) => text ?? []),
    `Next: ${cluster.nextStep}`,
  ];
  return lines.map((text) => `        ${printable(text)}`);
}

/** The deciding reason without the criteria, which are listed below; a tool that threw is reported by its error. */
function reasonLines(record: TrialRecord, hasCriteria: boolean): string[] {
  const { reason, toolError, outcome, gates } = record;
  if (outcome === 'fail' && toolError) return [`The tool failed with ${toolErrorText(toolError)}`];
  if (gates.length > 0) return [gatesReason(record)];
  return [hasCriteria ? (reason.split(':')[0] ?? reason) : reason];
}

/** With gates, how many passed says more than the message of the first that did not, which is listed below it. */
function gatesReason({ gates, reason }: TrialRecord): string {
  const passed = gates.filter((gate) => gate.passed).length;
  return passed === gates.length ? reason : `${passed} of ${gates.length} gates passed`;
}

/** Most runs are not attacked, and need none of its code. */
async function attackLines(run: StoredRun): Promise<string[]> {
  if (!run.summary.run.request.attacks) return [];
  const { readAttackTables } = await import('./attack-section.ts');
  const { attackWarning } = await import('../presentation/attack-text.ts');
  return [attackWarning(await readAttackTables(run)) ?? []].flat();
}

function closingText(summary: RunSummary, figures: RunFigures, attacks: readonly string[], colors: Colors): string {
  const { run } = summary;
  const { totals, notJudged } = figures;
  const parts = [
    `${colors.green(`${totals.pass} passed`)}${colors.yellow(notJudgedText(notJudged))}`,
    totals.fail > 0 ? colors.red(`${totals.fail} failed`) : undefined,
    totals.error > 0 ? colors.yellow(`${totals.error} could not be judged`) : undefined,
    totals.skipped > summary.absent ? colors.yellow(`${totals.skipped - summary.absent} without a verdict`) : undefined,
    summary.absent > 0 ? colors.yellow(absentText(run, String(summary.absent))) : undefined,
    ...markCountParts(summary.marks).map(colors.yellow),
    summary.timedOut ? colors.yellow(timedOutText(summary.timedOut)) : undefined,
  ].filter((part) => part !== undefined);
  const lines = [
    `${counted(totals.planned, 'trial')}: ${parts.join(', ')} ${colors.dim(tookText(figures, run.pausedMs))}`,
    ...attacks.map(colors.red),
    ...(totals.planned > 1 ? [colors.dim(`pass rate ${passRateSentence(figures)}`)] : []),
    ...(figures.judge ? [colors.dim(`judge ${judgeShareText(figures.judge)}`)] : []),
    ...(run.waits ?? []).map((wait) => colors.dim(waitText(wait))),
    ...(run.hookProblems ?? []).map((problem) => colors.yellow(printable(hookProblemText(problem)))),
    ...experimentLines(run).map(printable),
    colors.dim(`run ${run.runId}`),
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** How long the run took and what it cost; runs without paid calls say nothing of money. */
function tookText({ durationMs, cost }: RunFigures, pausedMs = 0): string {
  const parts = [
    ...(durationMs === null ? [] : [`in ${formatDuration(durationMs)}`]),
    ...(pausedMs > 0 ? [`paused for ${formatDuration(pausedMs)}`] : []),
    ...(wholeCost(cost) === 0 ? [] : [`cost: ${costSumText(cost)}`]),
  ];
  return parts.join(', ');
}
