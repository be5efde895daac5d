import { asAssayError } from '../../domain/errors.ts';
import type { Evidence } from '../../domain/judge-result.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { CasePair, CollectedSide } from '../../report/compare/collected-side.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import type { Comparison } from '../../report/compare/comparison.ts';
import { judgePreference } from '../../report/compare/figures.ts';
import type { JudgedPair, PairQuote, ShownOrder } from '../../report/compare/judged-pair.ts';
import { countPairs, type PairwiseCounts } from '../../report/compare/judged-pairs.ts';
import type { JudgedVariants } from '../../report/compare/judged-ranking.ts';
import { pairCases } from '../../report/compare/pair-cases.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';
import type { JudgeContext, JudgeSubject } from '../../score/judge/judge.ts';
import { comparePair, type PairResult, pairPromptVersion } from '../../score/judge/pairwise.ts';
import type { Project } from '../config/project.ts';
import { type JudgeFlags, ProjectJudging } from './judging.ts';

interface Sides {
  readonly a: CollectedSide;
  readonly b: CollectedSide;
  readonly sourceA: SideSource;
  readonly sourceB: SideSource;
}

interface JudgeOptions {
  readonly project: Project;
  readonly flags: JudgeFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Pairs that are judged at the same time; each takes two calls. */
const atATime = 4;

/** Lets the judge compare the first judged trial of each case on both sides. */
export async function judgePairs({ a, b, sourceA, sourceB }: Sides, options: JudgeOptions): Promise<PairwiseCounts> {
  await using judging = new ProjectJudging(options.project, options.flags, options.env);
  const context = await judging.context(noChoice, options.signal);
  const attempts = {
    a: { trials: await firstTrials(sourceA), source: sourceA },
    b: { trials: await firstTrials(sourceB), source: sourceB },
  };
  return judgeSides(a, b, attempts, context);
}

/** Lets the judge compare every two variants of a run that can be compared, all under one spending limit. */
export async function judgeVariants(
  sides: readonly CollectedSide[],
  source: SideSource,
  { isForced, ...options }: JudgeOptions & { readonly isForced: boolean },
): Promise<JudgedVariants[]> {
  await using judging = new ProjectJudging(options.project, options.flags, options.env);
  const context = await judging.context(noChoice, options.signal);
  const attempt = { trials: await firstTrials(source), source };
  const choice = { force: isForced, only: [judgePreference], pairsOfVariants: (sides.length * (sides.length - 1)) / 2 };
  const found: JudgedVariants[] = [];
  for (const [place, a] of sides.entries()) {
    for (const b of sides.slice(place + 1)) {
      const labels = { a: a.label, b: b.label };
      const { answer, summary } = compareCollected(a, b, choice);
      if (answer === 'not-comparable') {
        found.push({ ...labels, answer, reason: summary });
        continue;
      }
      const judged = await judgeSides(a, b, { a: attempt, b: attempt }, context);
      found.push({ ...labels, judged, answer: preferenceIn(compareCollected(a, b, { ...choice, judged })) });
    }
  }
  return found;
}

function preferenceIn({ metrics }: Comparison): JudgedVariants['answer'] {
  const answer = metrics.find(({ name }) => name === judgePreference)?.answer;
  return answer === 'better' || answer === 'worse' || answer === 'no-difference' ? answer : 'not-enough-data';
}

/** The trials of a side that are shown to the judge. */
interface Attempts {
  readonly trials: ReadonlyMap<string, TrialRecord>;
  readonly source: SideSource;
}

async function judgeSides(
  a: CollectedSide,
  b: CollectedSide,
  attempts: { readonly a: Attempts; readonly b: Attempts },
  context: JudgeContext,
): Promise<PairwiseCounts> {
  const { pairs } = pairCases(a, b);
  const judged: JudgedPair[] = [];
  for (let start = 0; start < pairs.length; start += atATime) {
    const some = pairs.slice(start, start + atATime).flatMap((pair) => {
      const [first, second] = [trialOf(pair.a, attempts.a.trials), trialOf(pair.b, attempts.b.trials)];
      return first && second ? [judgePair(pair, first, second, attempts, context)] : [];
    });
    judged.push(...(await Promise.all(some)));
  }
  return countPairs(judged, { model: context.model.name, promptVersion: pairPromptVersion });
}

const noChoice = { models: [], samples: 1 } as const;

/** By scenario, case and variant; trials that were reused or have no verdict do not count. */
async function firstTrials({ trials }: SideSource): Promise<ReadonlyMap<string, TrialRecord>> {
  const found = new Map<string, TrialRecord>();
  for await (const record of trials) {
    const isJudged = record.outcome === 'pass' || record.outcome === 'fail';
    const key = keyOf(record);
    if (isJudged && record.cachedFrom === null && !found.has(key)) found.set(key, record);
  }
  return found;
}

function trialOf(found: CasePair['a'], trials: ReadonlyMap<string, TrialRecord>): TrialRecord | undefined {
  return found && trials.get(keyOf(found));
}

function keyOf({ scenario, caseId, variant }: Pick<TrialRecord, 'scenario' | 'caseId' | 'variant'>): string {
  return JSON.stringify([scenario, caseId, Object.entries(variant).sort()]);
}

async function judgePair(
  { scenario, caseId, variant }: CasePair,
  a: TrialRecord,
  b: TrialRecord,
  attempts: { readonly a: Attempts; readonly b: Attempts },
  context: JudgeContext,
): Promise<JudgedPair> {
  const pairKeys = { scenario, caseId, variant, trialA: a.trialId, trialB: b.trialId };
  const traceA = await attempts.a.source.readTrace(a.trialId);
  const traceB = await attempts.b.source.readTrace(b.trialId);
  if (!traceA || !traceB) {
    return { ...pairKeys, winner: 'not-judged', reason: 'A trace is missing.', orders: [], costUsd: 0 };
  }
  try {
    const pair = { a: subjectOf(a, traceA), b: subjectOf(b, traceB), aspects: aspectsOf(a) };
    const result = await comparePair(pair, context);
    const { reason, costUsd } = result;
    return { ...pairKeys, winner: winnerOf(result), reason, orders: ordersOf(result), costUsd };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { ...pairKeys, winner: 'not-judged', reason: asAssayError(error).message, orders: [], costUsd: null };
  }
}

function winnerOf({ winner, isOrderDependent }: PairResult): JudgedPair['winner'] {
  if (winner !== 'undecided') return winner;
  return isOrderDependent ? 'order-dependent' : 'not-judged';
}

function ordersOf({ orders }: PairResult): ShownOrder[] {
  return orders.map(({ order, preference, reason, evidence }) => {
    const first = order === 'a-first' ? 'a' : 'b';
    return { first, preferred: preference, reason, quotes: evidence.map((one) => quoteOf(one, first)) };
  });
}

/** Events of the attempt shown first are named `x-…`, those of the other `y-…`. */
function quoteOf({ event, quote, isVerified }: Evidence, first: 'a' | 'b'): PairQuote {
  const [, place, name = event] = /^([xy])-(.*)$/s.exec(event) ?? [];
  const second = first === 'a' ? 'b' : 'a';
  return { side: place === undefined ? null : place === 'x' ? first : second, event: name, quote, isVerified };
}

/** Earlier verdicts of judges are left out to avoid bias. */
function subjectOf(record: TrialRecord, trace: Trace): JudgeSubject {
  const failed = record.evaluatorResults.filter(({ type, state }) => state === 'fail' && !type.endsWith('judge'));
  return {
    name: record.scenario,
    task: taskIn(trace) ?? record.scenario,
    trace,
    failedGates: failed.map(({ type, reason }) => `${type}: ${reason}`),
    testedModel: record.variant.model,
  };
}

/** The task in the trace: the first message of the user, or the input of a direct call. */
function taskIn(trace: Trace): string | undefined {
  const first = trace.find(
    (event) => (event.type === 'message' && event.role === 'user') || event.type === 'tool-call',
  );
  if (first?.type === 'message') return first.text;
  return first?.type === 'tool-call' ? `${first.tool}: ${JSON.stringify(first.input)}` : undefined;
}

/** The criteria of the scenario's own judge, so both comparisons are about the same. */
function aspectsOf({ judge }: TrialRecord): string[] {
  return (judge?.criteria ?? []).filter(({ kind }) => kind !== 'failure').map(({ text }) => text);
}
