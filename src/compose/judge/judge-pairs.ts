import { asAssayError } from '../../domain/errors.ts';
import type { Evidence } from '../../domain/judge-result.ts';
import { isReused } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { CasePair, CollectedSide } from '../../report/compare/collected-side.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import { type ComparisonOfRows, judgePreference } from '../../report/compare/comparison.ts';
import type { JudgedPair, PairQuote, ShownOrder } from '../../report/compare/judged-pair.ts';
import { countPairs, type PairwiseCounts } from '../../report/compare/judged-pairs.ts';
import type { JudgedVariants } from '../../report/compare/judged-ranking.ts';
import { pairCases } from '../../report/compare/pair-cases.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';
import { taskIn } from '../../score/judge/event-source.ts';
import type { JudgeContext, JudgeSubject } from '../../score/judge/judge.ts';
import { comparePair, type PairResult, pairPromptVersion } from '../../score/judge/pairwise.ts';
import type { Project } from '../config/project.ts';
import { type JudgeOptions, ProjectJudging } from './judging.ts';
import { type KeptJudgings, pairKey } from './kept-judgings.ts';

interface Sides {
  readonly a: CollectedSide;
  readonly b: CollectedSide;
  readonly sourceA: SideSource;
  readonly sourceB: SideSource;
}

/** How far a judging is. */
export interface JudgingProgress {
  readonly judged: number;
  readonly total: number;
  /** Null where a price is unknown. */
  readonly costUsd: number | null;
}

interface PairOptions {
  readonly project: Project;
  readonly flags: JudgeOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Where preferences are kept; undefined for runs that are not stored, or can change. */
  readonly kept?: KeptJudgings | undefined;
  /** Judges every pair, also those whose preferences are kept. */
  readonly isAfresh?: boolean | undefined;
  readonly onProgress?: ((progress: JudgingProgress) => void) | undefined;
}

/** Pairs that are judged at the same time; each takes two calls. */
const atATime = 4;

/** Lets the judge compare the first judged trial of each case on both sides. */
export async function judgePairs({ a, b, sourceA, sourceB }: Sides, options: PairOptions): Promise<PairwiseCounts> {
  await using judging = new ProjectJudging(options.project, options.flags, options.env);
  const context = await judging.context(noChoice, options.signal);
  const attempts = {
    a: { trials: await firstTrials(sourceA), source: sourceA },
    b: { trials: await firstTrials(sourceB), source: sourceB },
  };
  const planned = planPairs(a, b, attempts);
  return judgePlanned(planned, context, new PairKeeping(options, planned.pairs.length));
}

/** Lets the judge compare every two variants of a run that can be compared, all under one spending limit. */
export async function judgeVariants(
  sides: readonly CollectedSide[],
  source: SideSource,
  { isForced, ...options }: PairOptions & { readonly isForced: boolean },
): Promise<JudgedVariants[]> {
  await using judging = new ProjectJudging(options.project, options.flags, options.env);
  const context = await judging.context(noChoice, options.signal);
  const attempt = { trials: await firstTrials(source), source };
  const choice = { force: isForced, only: [judgePreference], pairsOfVariants: (sides.length * (sides.length - 1)) / 2 };
  const met = sides.flatMap((a, place) =>
    sides.slice(place + 1).map((b) => {
      const { answer, summary } = compareCollected(a, b, choice);
      const reason = answer === 'not-comparable' ? summary : undefined;
      return { ...planPairs(a, b, { a: attempt, b: attempt }), reason };
    }),
  );
  const total = met.reduce((sum, { pairs, reason }) => sum + (reason === undefined ? pairs.length : 0), 0);
  const keeping = new PairKeeping(options, total);
  const found: JudgedVariants[] = [];
  for (const { reason, ...planned } of met) {
    const { a, b } = planned;
    const labels = { a: a.label, b: b.label };
    if (reason !== undefined) {
      found.push({ ...labels, answer: 'not-comparable', reason });
      continue;
    }
    const judged = await judgePlanned(planned, context, keeping);
    found.push({ ...labels, judged, answer: preferenceIn(compareCollected(a, b, { ...choice, judged })) });
  }
  return found;
}

/** Keeps the preferences of a judging, and says how far it is. */
class PairKeeping {
  readonly #options: PairOptions;
  readonly #total: number;
  #judged = 0;
  #costUsd: number | null = 0;

  constructor(options: PairOptions, total: number) {
    this.#options = options;
    this.#total = total;
    this.#report();
  }

  /** The preferences of this judge that are kept, and the file for more. */
  async open({ a, b, pairs }: PlannedPairs, context: JudgeContext) {
    const { kept, isAfresh = false } = this.#options;
    const file = kept?.pairs(a.label, b.label);
    const { name: model, server } = context.model;
    const heading = { model, server, promptVersion: pairPromptVersion(context), total: pairs.length };
    return { file, earlier: await file?.begin(heading, isAfresh) };
  }

  count({ costUsd }: JudgedPair): void {
    this.#judged++;
    this.#costUsd = this.#costUsd === null || costUsd === null ? null : this.#costUsd + costUsd;
    this.#report();
  }

  #report(): void {
    this.#options.onProgress?.({ judged: this.#judged, total: this.#total, costUsd: this.#costUsd });
  }
}

function preferenceIn({ metrics }: ComparisonOfRows): JudgedVariants['answer'] {
  const answer = metrics.find(({ name }) => name === judgePreference)?.answer;
  return answer === 'better' || answer === 'worse' || answer === 'no-difference' ? answer : 'not-enough-data';
}

/** The trials of a side that are shown to the judge. */
interface Attempts {
  readonly trials: ReadonlyMap<string, TrialRecord>;
  readonly source: SideSource;
}

/** The pairs of trials of two sides that a judge is shown. */
interface PlannedPairs {
  readonly a: CollectedSide;
  readonly b: CollectedSide;
  readonly attempts: { readonly a: Attempts; readonly b: Attempts };
  readonly pairs: readonly { readonly of: CasePair; readonly a: TrialRecord; readonly b: TrialRecord }[];
}

function planPairs(a: CollectedSide, b: CollectedSide, attempts: PlannedPairs['attempts']): PlannedPairs {
  const pairs = [...pairCases(a, b).pairs].flatMap((of) => {
    const [first, second] = [trialOf(of.a, attempts.a.trials), trialOf(of.b, attempts.b.trials)];
    return first && second ? [{ of, a: first, b: second }] : [];
  });
  return { a, b, attempts, pairs };
}

async function judgePlanned(
  planned: PlannedPairs,
  context: JudgeContext,
  keeping: PairKeeping,
): Promise<PairwiseCounts> {
  const { file, earlier } = await keeping.open(planned, context);
  const judged: JudgedPair[] = [];
  const judgeOne = async ({ of, a, b }: PlannedPairs['pairs'][number]): Promise<JudgedPair> => {
    const before = earlier?.get(pairKey({ trialA: a.trialId, trialB: b.trialId }));
    const pair = before ? { ...before, costUsd: 0 } : await judgePair(of, a, b, planned.attempts, context);
    // Kept at once: what is paid for survives an interruption.
    if (!before) await file?.add(pair);
    keeping.count(pair);
    return pair;
  };
  for (let start = 0; start < planned.pairs.length; start += atATime) {
    context.signal.throwIfAborted();
    judged.push(...(await Promise.all(planned.pairs.slice(start, start + atATime).map(judgeOne))));
  }
  return countPairs(judged, { model: context.model.name, promptVersion: pairPromptVersion(context) });
}

const noChoice = { models: [], samples: 1 } as const;

/** By scenario, case and variant; trials that were reused or have no verdict do not count. */
async function firstTrials({ trials }: SideSource): Promise<ReadonlyMap<string, TrialRecord>> {
  const found = new Map<string, TrialRecord>();
  for await (const record of trials) {
    const isJudged = record.outcome === 'pass' || record.outcome === 'fail';
    const key = keyOf(record);
    if (isJudged && !isReused(record) && !found.has(key)) found.set(key, record);
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

/** The criteria of the scenario's own judge, so both comparisons are about the same. */
function aspectsOf({ judge }: TrialRecord): string[] {
  return (judge?.criteria ?? []).filter(({ kind }) => kind !== 'failure').map(({ text }) => text);
}
