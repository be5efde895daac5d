import { costSumText, wholeCost } from '../../domain/cost-sum.ts';
import { judgeShareText } from '../../domain/judge-share.ts';
import { markCountParts, markCountsText } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import {
  notJudgedText,
  notRunText,
  plannedTrials,
  type RunSpending,
  type RunSummary,
  timedOutText,
} from '../../domain/run.ts';
import { toolErrorText } from '../../domain/tool-error.ts';
import type { ScenarioCounts } from '../../keep/store/store.ts';
import {
  type Block,
  code,
  firstOf,
  type Item,
  list,
  marks,
  type Section,
  type Span,
  text,
} from '../../shared/blocks/block.ts';
import { costText, counted, formatDuration } from '../../shared/format.ts';
import { shorten } from '../../shared/text.ts';
import type { CiVerdict } from '../compare/ci-verdict.ts';
import type { RunFigures } from '../compare/run-figures.ts';
import { ciLines } from './ci-text.ts';
import { alsoText, clusterSize, faultText, firstFailureText, othersText, type TracedCluster } from './cluster-text.ts';
import { experimentLines } from './experiment-text.ts';
import { hookProblemText, passRateSentence, waitText } from './figures.ts';
import { decidingCriteria, decidingJudgements, trialTitle } from './trial-text.ts';

/** Trials that did not pass, represented by the first of them. */
export interface Problem {
  readonly first: TrialRecord;
  readonly count: number;
  /** Their common cause; without a cluster they only share the reason. */
  readonly cluster: TracedCluster | undefined;
}

/** A line for each scenario. One that may lack trials is not green: only those that are known to be whole are. */
export function scenarioList(scenarios: readonly ScenarioCounts[], { run, totals }: RunSummary, most: number): Block[] {
  const { listed, more } = firstOf(scenarios, most, (hidden) => counted(hidden, 'more scenario'));
  const items = listed.map((counts): Item => {
    const { scenario, pass, fail, error, notJudged, marks: standIns } = counts;
    const stored = pass + fail + error;
    const planned = totals.notRun === 0 ? stored : plannedTrials(run, counts);
    const isWhole = planned !== undefined && planned <= stored;
    const share = ` ${pass}/${planned ?? stored}${planned === undefined ? ' of those that ran' : ''}`;
    const notes = `${notJudgedText(notJudged)}${markCountsText(standIns)}`;
    return {
      mark: fail > 0 ? 'fail' : error > 0 || !isWhole ? 'error' : stored > 0 ? 'pass' : 'skipped',
      words: [scenario, { text: share, tone: 'quiet' }, { text: notes, tone: 'unsure' }],
    };
  });
  return [list(items), ...more.map((words) => text(words))];
}

/** The verdict on a run by its files and its baseline. */
export function ciSection(ci: CiVerdict, most: number): Section {
  const { listed, more } = firstOf(ciLines(ci), most, (hidden) => counted(hidden, 'more line'));
  const [sign, tone] = marks[ci.outcome];
  return {
    title: [{ text: sign, tone }, ` CI: ${ci.reason}`],
    isStatement: true,
    blocks: [list(listed.map(({ mark, text: words }) => ({ mark, words }))), ...more.map((words) => text(words))],
  };
}

/** A trial that did not pass, or several that failed alike: the reason, and what to do. */
export function problemSection({ first: record, count, cluster }: Problem): Section {
  const isFail = record.outcome === 'fail';
  const criteria = decidingCriteria(record).map(
    ({ criterion, explanation }): Item => ({ mark: 'fail', words: [code(criterion)], below: [explanation] }),
  );
  const others = cluster ? alsoText(cluster) : othersText(record, count);
  return {
    title: [
      { text: isFail ? 'FAIL ' : 'ERROR', tone: isFail ? 'bad' : 'unsure' },
      ' ',
      { text: trialTitle(record), tone: 'strong' },
      { text: ` ${record.file}`, tone: 'quiet' },
    ],
    level: 3,
    blocks: [
      text(reasonText(record, criteria.length > 0)),
      list(criteria),
      ...judgeBlocks(record),
      ...(record.fault ? [text(faultText(record.fault, cluster), 'quiet')] : []),
      ...(cluster ? clusterBlocks(cluster) : []),
      text([code(`assay show ${record.trialId}`), others], 'quiet'),
    ],
  };
}

/**
 * The deciding reason without the criteria, which are listed below it; a tool that threw is reported by its error. With gates, how
 * many passed says more than the message of the first that did not.
 */
function reasonText({ reason, toolError, outcome, gates }: TrialRecord, hasCriteria: boolean): string {
  if (outcome === 'fail' && toolError) return `The tool failed with ${toolErrorText(toolError)}`;
  const passed = gates.filter((gate) => gate.passed).length;
  if (gates.length > 0) return passed === gates.length ? reason : `${passed} of ${gates.length} gates passed`;
  return hasCriteria ? (reason.split(':')[0] ?? reason) : reason;
}

const shownJudged = 5;
const longestQuote = 300;

/** The criteria that the judge did not find met, and the words that it rests on. */
function judgeBlocks(record: TrialRecord): Block[] {
  const { listed, more } = firstOf(
    decidingJudgements(record),
    shownJudged,
    (hidden) => `${counted(hidden, 'more criterion', 'more criteria')} of the judge`,
  );
  const items = listed.map(
    ({ text: words, answer, reason, quotes }): Item => ({
      mark: answer === 'cannot-tell' ? 'unknown' : 'fail',
      words,
      below: [reason, ...quotes.map((quote) => shorten(quote, longestQuote))],
    }),
  );
  return [list(items), ...more.map((words) => text(words))];
}

/** How large a cluster is, where its trials failed first, and what to do. */
function clusterBlocks(cluster: TracedCluster): Block[] {
  return [
    ...(cluster.count > 1 ? [`${clusterSize(cluster)}: ${cluster.title}`] : []),
    ...[firstFailureText(cluster)].flatMap((line) => line ?? []),
    [{ text: 'Next:', tone: 'strong' as const }, ` ${cluster.nextStep}`],
  ].map((words) => text(words));
}

/** A group of failures with one cause, where causes are listed by themselves. */
export function clusterSection(cluster: TracedCluster): Section {
  const { outcome, title, example } = cluster;
  return {
    title: [{ text: outcome === 'fail' ? 'FAIL ' : 'ERROR', tone: outcome === 'fail' ? 'bad' : 'unsure' }, ` ${title}`],
    blocks: [
      text(clusterSize(cluster)),
      text(`Such as: ${example.reason}`),
      ...clusterBlocks({ ...cluster, count: 1 }),
      text(`assay show ${example.trialId}${alsoText(cluster)}`),
    ],
  };
}

/** Totals, cost, time, figures and id of a run. */
export function totalsBlocks(summary: RunSummary, figures: RunFigures, attacks: string | undefined): Block[] {
  const { run } = summary;
  const { totals } = figures;
  return [
    text([`${counted(totals.planned, 'trial')}: `, ...totalsSpans(summary, figures), tookText(figures, run.pausedMs)]),
    ...(attacks === undefined ? [] : [text(attacks, 'bad')]),
    ...(totals.planned > 1 ? [text(`pass rate ${passRateSentence(figures)}`, 'quiet')] : []),
    ...(figures.judge ? [text(`judge ${judgeShareText(figures.judge)}`, 'quiet')] : []),
    ...(run.spending ? [text(spendingText(run.spending), 'quiet')] : []),
    ...(run.waits ?? []).map((wait) => text(waitText(wait), 'quiet')),
    ...(run.hookProblems ?? []).map((problem) => text(hookProblemText(problem), 'unsure')),
    ...experimentLines(run).map((line) => text(line)),
    text(`run ${run.runId}`, 'quiet'),
  ];
}

/** Of a run that was resumed: trials that a dead process did not store are not in the cost of the others. */
function spendingText({ requests, unanswered, costUsd }: RunSpending): string {
  const unknown =
    unanswered === 0 ? '' : `, and the unknown cost of ${counted(unanswered, 'request')} without an answer`;
  return `sent to models by all processes of the run: ${counted(requests, 'request')}, ${costText(costUsd)}${unknown}`;
}

function totalsSpans(summary: RunSummary, { totals, notJudged }: RunFigures): Span[] {
  const { run, timedOut } = summary;
  const unsure = [
    totals.error > 0 ? `${totals.error} could not be judged` : '',
    totals.skipped > 0 ? `${totals.skipped} without a verdict` : '',
    totals.notRun > 0 ? notRunText(run, String(totals.notRun)) : '',
    ...markCountParts(summary.marks),
    timedOut ? timedOutText(timedOut) : '',
  ];
  const parts: Span[] = [
    { text: `${totals.pass} passed${notJudgedText(notJudged)}`, tone: notJudged > 0 ? 'unsure' : 'good' },
    ...(totals.fail > 0 ? [{ text: `${totals.fail} failed`, tone: 'bad' as const }] : []),
    ...unsure.flatMap((part) => (part === '' ? [] : [{ text: part, tone: 'unsure' as const }])),
  ];
  return parts.flatMap((part, index) => (index === 0 ? [part] : [{ text: ', ' }, part]));
}

/** How long the run took and what it cost; runs without paid calls say nothing of money. */
function tookText({ durationMs, cost }: RunFigures, pausedMs = 0): Span {
  const parts = [
    ...(durationMs === null ? [] : [`in ${formatDuration(durationMs)}`]),
    ...(pausedMs > 0 ? [`paused for ${formatDuration(pausedMs)}`] : []),
    ...(wholeCost(cost) === 0 ? [] : [`cost: ${costSumText(cost)}`]),
  ];
  return { text: ` ${parts.join(', ')}`, tone: 'quiet' };
}
