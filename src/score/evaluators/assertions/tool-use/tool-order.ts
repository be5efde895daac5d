import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { compareOrder, type ToolOrder, toolOrders } from '../../../../domain/tools/tool-order.ts';
import type { How } from '../../evaluator.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { calledNames, callsIn, isCarriedOut, lastingFailure } from './call-text.ts';
import { nameRules, scopeOf, toolName, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    tools: z.array(toolName).min(1).describe(`the tools in the order in which they should be called; ${nameRules}`),
    order: z
      .enum(toolOrders)
      .default('subsequence')
      .describe(
        'exact: these calls and no others; prefix: others afterwards; subsequence: others anywhere; any: these in any order; subset: only these, none of them required',
      ),
    ignore: z.array(toolName).default([]).describe('tools whose calls do not count'),
    within,
  });

type ToolOrderConfig = z.output<ReturnType<typeof configSchema>>;

/** Tools were called in the order in which they should be. */
export const toolOrder = defineEvaluator({
  type: 'tool-order',
  kind: 'assertion',
  summary: 'tools were called in this order: exact, prefix, subsequence, any or subset',
  example: { tools: ['find_table', 'book_table'], order: 'subsequence' },
  reads: ({ tools, order, ignore, within: where }) => ({
    channels: { 'tool-calls': howOfOrder[order] },
    tools: [...tools, ...ignore],
    scope: scopeOf(where),
  }),
  configSchema,
  when: ({ order }) => (order === 'exact' ? 'final' : order === 'subset' ? 'every-turn' : 'eventually'),
  prepare: checkToolOrder,
});

/** A call that was not seen can complete an order, or break it. */
const howOfOrder = {
  exact: 'exact',
  prefix: 'exact',
  subsequence: 'presence',
  any: 'presence',
  subset: 'absence',
} as const satisfies Record<ToolOrder, How>;

function checkToolOrder({ tools, order, ignore, within }: ToolOrderConfig): Evaluate<'assertion'> {
  const wanted = `${tools.join(', ')} (${order})`;
  return (context) => {
    const calls = callsIn(context, within).filter((call) => !ignore.some((name) => isNamed(call, name)));
    // A wanted call must have been carried out; one that is only allowed may have been tried.
    const isCallOf = order === 'subset' ? isNamed : isCarriedOut;
    const { matchCount, isMet, isBroken } = compareOrder({ calls, expected: tools, order, isCallOf });
    if (isMet) return { state: 'pass', reason: `The calls are as wanted: ${wanted}`, value: 1 };
    const found =
      order === 'subset' ? `${calls.length - matchCount} too many` : `${matchCount} of ${tools.length} in place`;
    const reason = `The calls are not as wanted: ${wanted}; ${found}; ${calledNames(calls)}`;
    const value = matchCount / countedAgainst(order, tools.length, calls.length);
    return isBroken ? lastingFailure(reason, within, value) : { state: 'fail', reason, value };
  };
}

/** Calls that lower the score: those that are missing, and where no others are allowed, those too. */
export function countedAgainst(order: ToolOrder, expectedCount: number, callCount: number): number {
  if (order === 'subset') return callCount;
  return order === 'exact' ? Math.max(expectedCount, callCount) : expectedCount;
}
