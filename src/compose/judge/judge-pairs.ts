import { asAssayError } from '../../domain/errors.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { CasePair, CollectedSide } from '../../report/compare/collected-side.ts';
import type { JudgedPair, ShownOrder } from '../../report/compare/judged-pair.ts';
import { type PairwiseComparison, summarizePairs } from '../../report/compare/judged-pairs.ts';
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
export async function judgePairs(
  sides: Sides,
  { project, flags, env, signal }: JudgeOptions,
): Promise<PairwiseComparison> {
  await using judging = new ProjectJudging(project, flags, env);
  const context = await judging.context(noChoice, signal);
  const [trialsA, trialsB] = [await firstTrials(sides.sourceA), await firstTrials(sides.sourceB)];
  const { pairs } = pairCases(sides.a, sides.b);
  const judged: JudgedPair[] = [];
  for (let start = 0; start < pairs.length; start += atATime) {
    const some = pairs.slice(start, start + atATime).flatMap((pair) => {
      const [a, b] = [trialOf(pair.a, trialsA), trialOf(pair.b, trialsB)];
      return a && b ? [judgePair(pair, a, b, sides, context)] : [];
    });
    judged.push(...(await Promise.all(some)));
  }
  return summarizePairs(judged, { model: context.model.name, promptVersion: pairPromptVersion });
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
  { sourceA, sourceB }: Sides,
  context: JudgeContext,
): Promise<JudgedPair> {
  const pairKeys = { scenario, caseId, variant, trialA: a.trialId, trialB: b.trialId };
  const [traceA, traceB] = [await sourceA.readTrace(a.trialId), await sourceB.readTrace(b.trialId)];
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
  return orders.map(({ order, preference }) => ({ first: order === 'a-first' ? 'a' : 'b', preferred: preference }));
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
