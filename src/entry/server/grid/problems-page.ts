import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { caseKeyOf } from '../../../report/compare/case-key.ts';
import { problemOrder, problemRank } from '../../../report/compare/grid/sort-figure.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { type CasePage, placeIn } from './case-page.ts';

type Phase = (typeof problemOrder)[number];

/** So many are read at least: a case of the page may be one that an earlier phase listed. */
const fewest = 50;

/** The outcomes of the trials of which a listed case has one, and none other. */
export type ProblemOutcomes = readonly Extract<Outcome, 'fail' | 'error'>[];

/**
 * A page of the cases with failures first, then those with errors, then the rest, each in plan order; or only of those with
 * certain problems. It reads the trials that the page shows and few others, in a run of any size.
 */
export async function problemsPage(
  run: RunHeader,
  { cursor, limit, only }: { cursor: string | undefined; limit: number; only: ProblemOutcomes | undefined },
  store: Store,
): Promise<CasePage> {
  const cases: (readonly TrialRecord[])[] = [];
  const order = only ? problemOrder.slice(0, only.includes('error') ? 2 : 1) : problemOrder;
  const isWanted = (ofCase: readonly TrialRecord[]): boolean =>
    !only || ofCase.some(({ outcome }) => only.some((one) => one === outcome));
  let phase: Phase | undefined = problemOrder.find((each) => cursor?.startsWith(`${each}-`)) ?? 'fail';
  let after = cursor === undefined ? -1 : (placeIn(cursor, phase) ?? 0) - 1;
  while (phase !== undefined) {
    const { found, last, isEnd } = await nextCases(run, phase, { after, limit: limit - cases.length }, store);
    cases.push(...found.filter(isWanted));
    after = last;
    if (isEnd) {
      phase = order[order.indexOf(phase) + 1];
      after = -1;
    }
    if (cases.length >= limit && phase !== undefined) return pageOf(cases, `${phase}-${after + 1}`);
  }
  return pageOf(cases, null);
}

function pageOf(cases: CasePage['cases'], next: string | null): CasePage {
  return { cases, next, total: null, unsearched: 0 };
}

interface Span {
  /** The ordinal after which trials are read. */
  readonly after: number;
  readonly limit: number;
}

interface Found {
  readonly found: readonly (readonly TrialRecord[])[];
  /** The ordinal of the last trial that was looked at. */
  readonly last: number;
  readonly isEnd: boolean;
}

const outcomesOf = { fail: ['fail'], error: ['error'], rest: ['pass', 'skipped'] } as const;

/** The next cases of a phase: those of the next trials with its outcomes. */
async function nextCases(run: RunHeader, phase: Phase, { after, limit }: Span, store: Store): Promise<Found> {
  const most = Math.max(limit, fewest);
  const trials = await store.readTrials(run.runId, { limit: most, after, outcomes: outcomesOf[phase] });
  const groups = [...groupedBy(trials, caseKeyOf).values()];
  const taken = groups.slice(0, limit);
  const whole = await wholeCases(
    run,
    taken.flatMap(([first]) => first ?? []),
    store,
  );
  return {
    found: whole.filter((ofCase) => rankOf(ofCase) === problemOrder.indexOf(phase)),
    // The trials of a case lie side by side: none of these cases is met again.
    last: whole.at(-1)?.at(-1)?.ordinal ?? after,
    isEnd: trials.length < most && taken.length === groups.length,
  };
}

function rankOf(trials: readonly TrialRecord[]): number {
  return problemRank(trials.map(({ outcome }) => outcome));
}

/** All trials of the cases that these are of, in the order of the plan. */
async function wholeCases(
  { runId, planned, scenarios }: RunHeader,
  examples: readonly TrialRecord[],
  store: Store,
): Promise<(readonly TrialRecord[])[]> {
  const hasOneEach = planned === scenarios.reduce((sum, { caseCount }) => sum + caseCount, 0);
  if (examples.length === 0 || hasOneEach) return examples.map((example) => [example]);
  const wanted = new Set(examples.map(caseKeyOf));
  const cases: TrialRecord[] = [];
  for await (const record of eachTrial(store, runId, undefined, examples))
    if (wanted.has(caseKeyOf(record))) cases.push(record);
  return [...groupedBy(cases, caseKeyOf).values()];
}
