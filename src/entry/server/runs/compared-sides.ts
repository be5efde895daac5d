import type * as z from 'zod';
import { type TwoSides, twoSides } from '../../../compose/compare/two-sides.ts';
import type { Project } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { KeptJudgings } from '../../../compose/judge/kept-judgings.ts';
import { endedKey } from '../../../domain/ended-key.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';
import type { CollectedSide } from '../../../report/compare/collected-side.ts';
import type { comparisonQuery } from '../api/trials.ts';
import { Refusal } from '../refusal.ts';
import { keptSide, readSide, readSidesBy } from '../summaries/kept-sides.ts';

export type ComparedQuery = z.output<typeof comparisonQuery>;

/** The sides of a request. */
export interface RequestedSides {
  readonly a: RunHeader;
  readonly b: RunHeader;
  /** Undefined while one of them can change, as is what judges said about them. */
  readonly key: string | undefined;
  readonly kept: KeptJudgings | undefined;
}

interface ComparePlace {
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  project(): Promise<Project>;
}

export async function requestedSides(
  query: ComparedQuery,
  { store, project, env }: ComparePlace,
): Promise<RequestedSides> {
  const a = await requireRun(store, query.a);
  if (query.b === undefined && query.by === undefined) {
    throw new Refusal(400, 'REQUEST_INVALID', 'There is only one run to compare.', {
      hint: 'Name a second one with `b`, or with `by` which variants of the run to compare.',
    });
  }
  const b = query.b === undefined ? a : await requireRun(store, query.b);
  const [keyA, keyB] = [endedKey(a), endedKey(b)];
  const { valueA, valueB, force } = query;
  const by = query.b === undefined ? query.by : undefined;
  const opened = await project();
  const key = JSON.stringify([keyA, query.b === undefined ? null : keyB, by, valueA, valueB, force]);
  return {
    a,
    b,
    key: keyA === undefined || keyB === undefined ? undefined : key,
    kept: KeptJudgings.of(opened.folder, { a, b, by }, projectRedaction(opened, env)),
  };
}

/** Reads a side in another process; undefined where that could not be done. */
export type CollectAside = (run: RunHeader, comparedWith: RunHeader) => Promise<CollectedSide | undefined>;

/** Starting a process takes as long as reading so many trials. */
const mostTrialsInTurn = 5_000;

export async function sidesOf(
  { a, b }: Pick<RequestedSides, 'a' | 'b'>,
  { b: other, by, valueA, valueB }: ComparedQuery,
  { store, collectAside }: { readonly store: Store; readonly collectAside?: CollectAside | undefined },
): Promise<TwoSides> {
  if (by === undefined || other !== undefined) {
    const kept = await keptSide(a, store, b);
    const isLarge = Math.min(a.planned, b.planned) > mostTrialsInTurn;
    const aside = isLarge && !kept ? collectAside?.(a, b) : undefined;
    // A failure of the other process is found and named when the side is read here.
    const [sideA, sideB] = await Promise.all([kept ?? aside?.catch(() => undefined), readSide(b, store, a)]);
    return { a: sideA ?? (await readSide(a, store, b)), b: sideB, pairsOfVariants: 1 };
  }
  return twoSides(await readSidesBy(a, store, by), by, { a: valueA, b: valueB });
}
