/** How the tools that were called must follow each other. */
export const toolOrders = ['exact', 'prefix', 'subsequence', 'any'] as const;
export type ToolOrder = (typeof toolOrders)[number];

interface OrderedCalls<Call> {
  readonly calls: readonly Call[];
  readonly expected: readonly string[];
  readonly order: ToolOrder;
  isCallOf(call: Call, tool: string): boolean;
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
 * `subsequence` other calls anywhere, `any` also another order.
 */
export function compareOrder<Call>(compared: OrderedCalls<Call>): OrderFinding {
  const { calls, expected, order } = compared;
  const matchCount = matchers[order](compared);
  const hasAll = matchCount === expected.length;
  if (order === 'subsequence' || order === 'any') return { matchCount, isMet: hasAll, isBroken: false };
  const isTooLong = order === 'exact' && calls.length > expected.length;
  const isOff = !hasAll && calls.length > matchCount;
  return { matchCount, isMet: hasAll && !isTooLong, isBroken: isOff || isTooLong };
}

const matchers: Readonly<Record<ToolOrder, <Call>(compared: OrderedCalls<Call>) => number>> = {
  exact: countFromStart,
  prefix: countFromStart,
  subsequence: countInOrder,
  any: countInAnyOrder,
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

/** A name may mean several tools, so a call is given to another name when that lets one more find its own. */
function countInAnyOrder<Call>({ calls, expected, isCallOf }: OrderedCalls<Call>): number {
  const ownerOf = new Map<number, number>();
  const claim = (name: number, tried: Set<number>): boolean => {
    const tool = expected[name] ?? '';
    for (const [index, call] of calls.entries()) {
      if (tried.has(index) || !isCallOf(call, tool)) continue;
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
