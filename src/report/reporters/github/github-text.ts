import { costSumText } from '../../../domain/cost-sum.ts';
import { faultSource } from '../../../domain/fault-source.ts';
import { type JudgeShare, judgeShareText } from '../../../domain/judge-share.ts';
import { markCountParts, markCountsText } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { notJudgedText, type RunSummary } from '../../../domain/run.ts';
import type { ProblemGroup, ScenarioCounts } from '../../../keep/store/store.ts';
import { counted, formatDuration } from '../../../shared/format.ts';
import { firstRows } from '../../../shared/rows.ts';
import type { CiVerdict, Excuse } from '../../compare/ci-verdict.ts';
import type { ComparisonOfRows } from '../../compare/comparison.ts';
import { ciLines, excuseText, failureText } from '../../presentation/ci-text.ts';
import { othersText } from '../../presentation/cluster-text.ts';
import { caseTitle, changeWords, decidingCriteria, trialTitle, triesText } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';
import { readCiReport, readRunFigures } from '../run-figures.ts';
import { boundedLine, fittedText, inertCode, type PageBlock } from './bounded-markdown.ts';

interface GithubPage {
  readonly mostBytes: number;
  readonly mostProblems: number;
  /** Whether the first line is a mark by which the comment is found again. */
  readonly hasMarker: boolean;
}

const marks = { pass: '✅', fail: '❌', error: '⚠️' } as const;
const shownCriteria = 5;

/** By this first line a comment is found again, to be updated. */
const commentMarker = '<!-- assay-report -->';

/** A run as Markdown for GitHub: the outcome at a glance, the details folded, within a size. */
export function githubPage(page: GithubPage): (run: StoredRun) => AsyncGenerator<string, void> {
  return async function* (run) {
    yield await githubText(run, page);
  };
}

async function githubText(run: StoredRun, page: GithubPage): Promise<string> {
  const { store, summary, comparison } = run;
  const { runId } = summary.run;
  const ci = await readCiReport(run);
  const { judge } = await readRunFigures(run);
  const head = headBlock(summary, page.hasMarker, ci, judge);
  const problems = problemsBlock(await store.readProblems(runId, page.mostProblems), summary);
  const scenarios = scenariosBlock(await store.countByScenario(runId));
  const blocks = [head, ciBlock(ci), ...(comparison ? [comparisonBlock(comparison)] : []), problems, scenarios];
  return fittedText([...blocks.filter((block) => block !== undefined), footBlock(summary)], page.mostBytes);
}

function headBlock(
  summary: RunSummary,
  hasMarker: boolean,
  ci: CiVerdict | undefined,
  judge: JudgeShare | undefined,
): PageBlock {
  const { outcome } = ci ?? summary;
  const { reason, totals, notJudged, cost, durationMs, run } = summary;
  const name = run.request.name === undefined ? '' : `<p>${inertCode(run.request.name)}</p>\n\n`;
  const passed = `${totals.pass}${notJudgedText(notJudged)}`;
  const cells = [passed, totals.fail, totals.error, totals.skipped, totals.notRun, costSumText(cost)];
  const judged = judge ? `Judge: ${judgeShareText(judge)}\n\n` : '';
  return fixed(
    `${hasMarker ? `${commentMarker}\n` : ''}### ${marks[outcome]} Assay: ${ci ? headWords[outcome] : ''}${reason}\n\n${name}` +
      '| passed | failed | could not be judged | skipped | not run | cost | time |\n|---:|---:|---:|---:|---:|---:|---:|\n' +
      `| ${cells.join(' | ')} | ${formatDuration(durationMs)} |\n\n${judged}`,
  );
}

const headWords = { pass: 'passed; ', fail: 'failed; ', error: 'not judged; ' } as const;
const lineMarks = { fail: '❌', unknown: '⚠️', note: '' } as const;

/** Flaky and broken cases, limits, roles and quarantine. */
function ciBlock(ci: CiVerdict | undefined): PageBlock | undefined {
  const lines = ci ? ciLines(ci) : [];
  if (!ci || lines.length === 0) return undefined;
  const items = lines.map(({ mark, text }) => ({
    text: `<li>${lineMarks[mark]} ${inertCode(text)}</li>\n`,
    weight: 1,
  }));
  return folded(`<b>What counts</b>: ${inertCode(ci.reason)}`, items, lines.length, 'line', ci.outcome !== 'pass');
}

/** More of them do not fit into the page of a step. */
const mostChanged = 20_000;

function comparisonBlock({ summary, changedCases }: ComparisonOfRows): PageBlock {
  return folded(
    `<b>Compared with before</b>: ${inertCode(summary)}`,
    Array.from(firstRows(changedCases, mostChanged), (changed) => ({
      text: `<li>${changeWords[changed.change]}, ${triesText(changed)}: ${inertCode(caseTitle(changed))}<br>${inertCode(changed.reason)}</li>\n`,
      weight: 1,
    })),
    changedCases.length,
    'changed case',
  );
}

function problemsBlock(groups: readonly ProblemGroup[], { totals }: RunSummary): PageBlock | undefined {
  const total = totals.fail + totals.error;
  if (total === 0) return undefined;
  const items = groups.map(({ first, count }) => ({ text: problemItem(first, count), weight: count }));
  return folded(`<b>Did not pass</b>: ${counted(total, 'trial')}`, items, total, 'trial', totals.fail > 0);
}

function problemItem(record: TrialRecord, count: number): string {
  const criteria = decidingCriteria(record);
  const items = criteria
    .slice(0, shownCriteria)
    .map(({ criterion, explanation }) => `<li>${inertCode(criterion)}: ${inertCode(explanation)}</li>`);
  if (criteria.length > shownCriteria) items.push(`<li>… and ${criteria.length - shownCriteria} more</li>`);
  const { fault } = record;
  const source = fault ? `<br>${fault.code}, source: ${faultSource(fault)}. ${inertCode(fault.hint)}` : '';
  const details = items.length > 0 ? `<ul>${items.join('')}</ul>` : '<br>';
  const mark = marks[record.outcome === 'fail' ? 'fail' : 'error'];
  return `<li>${mark} ${inertCode(trialTitle(record))}<br>${inertCode(record.reason)}${source}${details}${inertCode(record.file)}, ${inertCode(`assay show ${record.trialId}`)}${othersText(record, count)}</li>\n`;
}

function scenariosBlock(scenarios: readonly ScenarioCounts[]): PageBlock | undefined {
  if (scenarios.length === 0) return undefined;
  const items = scenarios.map(({ scenario, pass, fail, error, notJudged, marks: standIns }) => {
    const mark = marks[fail > 0 ? 'fail' : error > 0 ? 'error' : 'pass'];
    const unjudged = error > 0 ? `, ${error} could not be judged` : '';
    return {
      text: `<li>${mark} ${inertCode(scenario)}: ${pass} of ${pass + fail + error}${notJudgedText(notJudged)}${markCountsText(standIns)}${unjudged}</li>\n`,
      weight: 1,
    };
  });
  return folded(`<b>Scenarios</b>: ${counted(scenarios.length, 'scenario')}`, items, items.length, 'scenario');
}

function footBlock({ run }: RunSummary): PageBlock {
  return fixed(`<sub>Run <code>${run.runId}</code></sub>\n`);
}

function fixed(open: string): PageBlock {
  return { open, items: [], total: 0, more: () => '', close: '' };
}

/** One HTML block: an empty line would end it, and what follows would be read as Markdown. */
function folded(title: string, items: PageBlock['items'], total: number, what: string, isOpen = false): PageBlock {
  return {
    open: `<details${isOpen ? ' open' : ''}><summary>${title}</summary>\n<ul>\n`,
    items,
    total,
    more: (hidden) => `<li>… and ${counted(hidden, `more ${what}`)}</li>\n`,
    close: '</ul>\n</details>\n\n',
  };
}

/** GitHub shows so many of each kind for a step. */
const shownOfEach = 10;
const readGroups = 200;
const criteriaPerAnnotation = 3;

/** A line for each kind of failure, and for each reason why something could not be judged. */
export async function* annotationsOf(stored: StoredRun): AsyncGenerator<string, void> {
  const { store, summary } = stored;
  const { run, totals } = summary;
  const ci = await readCiReport(stored);
  const groups = await store.readProblems(run.runId, readGroups);
  const counting = groups.filter(({ first }) => !isUncounted(first, ci));
  const failed = counting.filter(({ first }) => first.outcome === 'fail').slice(0, shownOfEach);
  const unjudged = counting.filter(({ first }) => first.outcome !== 'fail').slice(0, shownOfEach);
  const uncounted = groups.filter(({ first }) => isUncounted(first, ci)).slice(0, shownOfEach);
  for (const part of markCountParts(summary.marks)) yield `::notice title=Assay::Of the judged trials, ${part}.\n`;
  yield* explained(ci).slice(0, shownOfEach);
  for (const group of failed) yield annotation('error', group);
  for (const group of unjudged) yield annotation('warning', group);
  for (const group of uncounted) yield annotation('notice', group);
  const annotated = [...failed, ...unjudged, ...uncounted].reduce((sum, { count }) => sum + count, 0);
  const hidden = totals.fail + totals.error - annotated;
  if (hidden > 0) yield `::notice title=Assay::${counted(hidden, 'more trial')} did not pass: see the summary.\n`;
}

/** Trials of several cases can be one group, so a group does not count only where no case of its scenario does. */
function isUncounted({ file, scenario, outcome }: TrialRecord, ci: CiVerdict | undefined): boolean {
  const concerned = ci?.cases.filter((one) => one.file === file && one.scenario === scenario) ?? [];
  const alike = concerned.filter((one) => (outcome === 'fail' ? one.failed : one.unjudged) > 0);
  return alike.length > 0 && alike.every(({ excuse }) => excuse !== null && isEnough(excuse, outcome));
}

/** A trial that could not be judged is set aside by a quarantine alone. */
function isEnough(excuse: Excuse, outcome: TrialRecord['outcome']): boolean {
  return outcome === 'fail' || excuse === 'quarantined';
}

/** Findings about cases beside their trials: broken, flaky, quarantined. */
function explained(ci: CiVerdict | undefined): string[] {
  const lines = (ci?.cases ?? []).flatMap((one) => {
    const excuse = excuseText(one);
    const text = excuse ?? failureText(one);
    return text === undefined || one.failed === 0
      ? []
      : [{ level: excuse === undefined ? 'error' : 'notice', one, text }];
  });
  const errorsFirst = [...lines].sort((a, b) => a.level.localeCompare(b.level));
  return errorsFirst.map(({ level, one, text }) => command(level, one.file, caseTitle(one), [boundedLine(text)]));
}

function annotation(level: 'error' | 'warning' | 'notice', { first, count }: ProblemGroup): string {
  const criteria = decidingCriteria(first)
    .slice(0, criteriaPerAnnotation)
    .map(({ criterion, explanation }) => boundedLine(`${criterion}: ${explanation}`));
  const lines = [boundedLine(first.reason), ...criteria, `assay show ${first.trialId}${othersText(first, count)}`];
  return command(level, first.file, trialTitle(first), lines);
}

function command(level: string, file: string, about: string, lines: readonly string[]): string {
  const title = `Assay: ${boundedLine(about, 200)}`;
  return `::${level} file=${property(boundedLine(file))},line=1,title=${property(title)}::${data(lines.join('\n'))}\n`;
}

/** The message after the second `::` of a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** The value of a property of a workflow command. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
