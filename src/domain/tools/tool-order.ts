/** How the tools that were called must follow each other. */
export const toolOrders = ['exact', 'prefix', 'subsequence', 'any', 'subset'] as const;
export type ToolOrder = (typeof toolOrders)[number];

/** Calls, and what they are compared with. */
interface ComparedCalls<Call, Expected> {
  readonly calls: readonly Call[];
  readonly expected: readonly Expected[];
  isCallOf(call: Call, expected: Expected): boolean;
}

interface OrderedCalls<Call> extends ComparedCalls<Call, string> {
  readonly order: ToolOrder;
}

/** How calls stand to the tools that were expected. */
export interface OrderFinding {
  /** How many of the expected tools were found where they should be. */
  readonly matchCount: number;
  readonly isMet: boolean;
  /** Not met, and no further call could mend it. */
  readonly isBroken: boolean;
}

/**
 * Compares calls with the tools that were expected: `exact` allows nothing else, `prefix` other calls afterwards,
 * `subsequence` other calls anywhere, `any` also another order. `subset` allows calls to be missing, and no others.
 */
export function compareOrder<Call>(compared: OrderedCalls<Call>): OrderFinding {
  const { calls, expected, order } = compared;
  const matchCount = matchers[order](compared);
  const hasAll = matchCount === expected.length;
  if (order === 'subsequence' || order === 'any') return { matchCount, isMet: hasAll, isBroken: false };
  if (order === 'subset') {
    const isSubset = matchCount === calls.length;
    return { matchCount, isMet: isSubset, isBroken: !isSubset };
  }
  const isTooLong = order === 'exact' && calls.length > expected.length;
  const isOff = !hasAll && calls.length > matchCount;
  return { matchCount, isMet: hasAll && !isTooLong, isBroken: isOff || isTooLong };
}

const matchers: Readonly<Record<ToolOrder, <Call>(compared: OrderedCalls<Call>) => number>> = {
  exact: countFromStart,
  prefix: countFromStart,
  subsequence: countInOrder,
  any: countInAnyOrder,
  subset: countInAnyOrder,
};

function countFromStart<Call>({ calls, expected, isCallOf }: OrderedCalls<Call>): number {
  const end = expected.findIndex((tool, index) => {
    const call = calls[index];
    return call === undefined || !isCallOf(call, tool);
  });
  return end < 0 ? expected.length : end;
}

function countInOrder<Call>({ calls, expected, isCallOf }: OrderedCalls<Call>): number {
  let count = 0;
  for (const call of calls) {
    const next = expected[count];
    if (next === undefined) break;
    if (isCallOf(call, next)) count++;
  }
  return count;
}

/**
 * How many calls can be paired with an expectation, each used once, in any order. A name may mean several tools, so a
 * call is given to another name when that lets one more find its own.
 */
export function countInAnyOrder<Call, Expected>({ calls, expected, isCallOf }: ComparedCalls<Call, Expected>): number {
  const ownerOf = new Map<number, number>();
  const claim = (name: number, tried: Set<number>): boolean => {
    const wanted = expected[name] as Expected;
    for (const [index, call] of calls.entries()) {
      if (tried.has(index) || !isCallOf(call, wanted)) continue;
      tried.add(index);
      const owner = ownerOf.get(index);
      if (owner === undefined || claim(owner, tried)) {
        ownerOf.set(index, name);
        return true;
      }
    }
    return false;
  };
  return expected.filter((_tool, name) => claim(name, new Set())).length;
}

/** How many calls can be paired with an expectation if both keep their order: the longest common subsequence. */
export function countInBothOrders<Call, Expected>({
  calls,
  expected,
  isCallOf,
}: ComparedCalls<Call, Expected>): number {
  let row = new Array<number>(expected.length + 1).fill(0);
  for (const call of calls) {
    const next = [0];
    for (const [index, wanted] of expected.entries()) {
      const withThis = isCallOf(call, wanted) ? (row[index] ?? 0) + 1 : 0;
      next.push(Math.max(withThis, row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
