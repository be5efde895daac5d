import type { Difference } from '../tool-use/match-call.ts';

interface Matched {
  /** Indices of what is wanted and no row is. */
  readonly unmet: readonly number[];
  /** Indices of rows that nothing wanted. */
  readonly unmatched: readonly number[];
}

/**
 * Gives every wanted row a separate one, as many as possible: a row that two descriptions fit goes to the one that fits no
 * other (augmenting paths of a bipartite matching).
 */
export function matchRows(rows: readonly unknown[], wanted: readonly { readonly test: Difference }[]): Matched {
  const fitting = wanted.map(({ test }) => [...rows.keys()].filter((row) => test(rows[row], 'row') === undefined));
  const takenBy = new Map<number, number>();
  const place = (want: number, tried: Set<number>): boolean => {
    for (const row of fitting[want] ?? []) {
      if (tried.has(row)) continue;
      tried.add(row);
      const holder = takenBy.get(row);
      if (holder !== undefined && !place(holder, tried)) continue;
      takenBy.set(row, want);
      return true;
    }
    return false;
  };
  const unmet = [...wanted.keys()].filter((want) => !place(want, new Set()));
  return { unmet, unmatched: [...rows.keys()].filter((row) => !takenBy.has(row)) };
}
