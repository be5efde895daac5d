import type * as z from 'zod';
import type { JudgingProgress } from '../../../compose/judge/judge-pairs.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { comparisonQuery, type Judging, judgeComparisonSchema, judgingSchema } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { route, tagged } from '../route.ts';
import { type ComparedQuery, type RequestedSides, requestedSides, sidesOf } from '../runs/compared-sides.ts';
import { readSidesBy } from '../summaries/kept-sides.ts';

type JudgeRequest = z.output<typeof judgeComparisonSchema>;

/** How a judging is ended, and where it reports. */
interface JudgingParts {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JudgingProgress) => void;
}

type Work = (parts: JudgingParts) => Promise<void>;

/** Sides that cannot change, with the key of their judging. */
interface EndedSides extends RequestedSides {
  readonly key: string;
  readonly kept: NonNullable<RequestedSides['kept']>;
}

async function endedSides(query: ComparedQuery, context: ServerContext): Promise<EndedSides> {
  const { key, kept, ...sides } = await requestedSides(query, context);
  if (key === undefined || !kept) {
    throw new Refusal(409, 'RUN_LIVE', 'A run that goes on cannot be judged pair by pair.', {
      hint: 'Wait until it has ended.',
    });
  }
  return { ...sides, key, kept };
}

/** The part of the variants where all of them are meant; undefined for two sides. */
function partOfAll({ b, by, valueA, valueB }: ComparedQuery): ComparedQuery['by'] {
  return b === undefined && (valueA ?? valueB) === undefined ? by : undefined;
}

/** Begins to judge; it goes on when the client leaves. */
async function startJudging(request: JudgeRequest, context: ServerContext): Promise<Judging> {
  const requested = await endedSides(request, context);
  const by = partOfAll(request);
  const work = await (by === undefined
    ? workOnTwo(request, requested, context)
    : workOnVariants(by, request, requested, context));
  context.runCache.judgings.start(requested.key, context.signal, (signal, onProgress) => work({ signal, onProgress }));
  return judgingOf(request, context);
}

async function workOnTwo(request: JudgeRequest, requested: EndedSides, context: ServerContext): Promise<Work> {
  const { a, b } = await sidesOf(requested, request, context);
  const { answer, summary } = compareCollected(a, b, { force: request.force });
  if (answer === 'not-comparable') {
    throw new Refusal(400, 'REQUEST_INVALID', summary, {
      hint: 'Show the figures anyway, and then judge the answers.',
    });
  }
  const { store } = context;
  const sources = {
    sourceA: storedSource(requested.a, store, requested.b),
    sourceB: storedSource(requested.b, store, requested.a),
  };
  return async (parts) => {
    const { judgePairs } = await import('../../../compose/judge/judge-pairs.ts');
    await judgePairs({ a, b, ...sources }, { ...(await judgeOptions(request, requested, context)), ...parts });
  };
}

async function workOnVariants(
  by: NonNullable<ComparedQuery['by']>,
  request: JudgeRequest,
  requested: EndedSides,
  context: ServerContext,
): Promise<Work> {
  const { a: run, kept } = requested;
  const sides = await readSidesBy(run, context.store, by);
  if (sides.length < 2) {
    throw new Refusal(400, 'REQUEST_INVALID', `The run has only one variant by ${by}, so nothing can be compared.`, {
      hint: 'Compare two runs instead.',
    });
  }
  return async (parts) => {
    const [{ judgeVariants }, { rankJudged }] = await Promise.all([
      import('../../../compose/judge/judge-pairs.ts'),
      import('../../../report/compare/judged-ranking.ts'),
    ]);
    const options = { ...(await judgeOptions(request, requested, context)), ...parts, isForced: request.force };
    const pairs = await judgeVariants(sides, storedSource(run, context.store), options);
    const labels = sides.map(({ label }) => label);
    await kept.writeRanking(rankJudged({ runId: run.runId, by }, labels, pairs));
  };
}

async function judgeOptions(
  { judgeModel, maxUsd, isAfresh }: JudgeRequest,
  { kept }: EndedSides,
  context: ServerContext,
) {
  const flags = { judgeModels: judgeModel === undefined ? undefined : [judgeModel], maxUsd };
  return { project: await context.project(), flags, env: context.env, kept, isAfresh };
}

/** How far it is, in this process or as it was kept. */
async function judgingOf(query: ComparedQuery, context: ServerContext): Promise<Judging> {
  const { key, kept } = await requestedSides(query, context);
  const nothing = { state: 'none', judged: 0, total: 0, costUsd: 0, problem: null, ranking: null } as const;
  if (key === undefined || !kept) return nothing;
  const { judgings } = context.runCache;
  const progress = judgings.progressOf(key);
  if (progress) return { ...nothing, ...progress, state: 'running' };
  const problem = judgings.problemOf(key);
  if (partOfAll(query) !== undefined) {
    const ranking = await kept.readRanking();
    if (!ranking) return { ...nothing, problem };
    const judged = ranking.pairs.reduce((sum, pair) => sum + (pair.judged?.pairs.length ?? 0), 0);
    const { costUsd } = ranking;
    return { state: 'complete', judged, total: judged, costUsd, problem, ranking: { ...ranking } };
  }
  const found = await kept.pairs(query.valueA ?? '', query.valueB ?? '').read();
  if (!found) return { ...nothing, problem };
  const { judged, heading } = found;
  const costs = judged.map(({ costUsd }) => costUsd);
  const costUsd = costs.reduce<number | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0);
  const state = judged.length < heading.total ? 'incomplete' : 'complete';
  return { state, judged: judged.length, total: heading.total, costUsd, problem, ranking: null };
}

async function cancelJudging(query: ComparedQuery, context: ServerContext): Promise<Judging> {
  const { key } = await requestedSides(query, context);
  if (key !== undefined) context.runCache.judgings.cancel(key);
  return judgingOf(query, context);
}

/** A judge that compares answers case by case, and how far it is. */
export const judgingRoutes = tagged('comparisons', [
  route('POST /api/compare/judge', 'runner', {
    summary: 'Lets a judge compare the answers of two sides, or of all variants, case by case and in both orders.',
    body: judgeComparisonSchema,
    answer: judgingSchema,
    handle: ({ body }, context) => startJudging(body, context),
  }),
  route('GET /api/compare/judge', 'reader', {
    summary: 'How far a judge is with the answers of two sides, or of all variants.',
    query: comparisonQuery,
    answer: judgingSchema,
    handle: ({ query }, context) => judgingOf(query, context),
  }),
  route('DELETE /api/compare/judge', 'runner', {
    summary: 'Cancels a judging. Pairs that were judged are kept.',
    body: judgeComparisonSchema,
    answer: judgingSchema,
    handle: ({ body }, context) => cancelJudging(body, context),
  }),
]);
