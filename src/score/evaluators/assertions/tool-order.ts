import * as z from 'zod';
import { toolOrders } from '../../../domain/tool-order.ts';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { nameRules, toolName, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    tools: z.array(toolName).min(1).describe(`the tools in the order in which they should be called; ${nameRules}`),
    order: z
      .enum(toolOrders)
      .default('subsequence')
      .describe(
        'exact: these calls and no others; prefix: others afterwards; subsequence: others anywhere; any: these in any order',
      ),
    ignore: z.array(toolName).default([]).describe('tools whose calls do not count'),
    within,
  });
export type ToolOrderConfig = z.output<ReturnType<typeof configSchema>>;

/** Tools were called in the order in which they should be. */
export const toolOrder = defineEvaluator({
  type: 'tool-order',
  label: 'Tool Order',
  kind: 'assertion',
  summary: 'tools were called in this order: exact, prefix, subsequence or any',
  example: { tools: ['find_table', 'book_table'], order: 'subsequence' },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: ({ order }) => (order === 'exact' ? 'final' : 'eventually'),
  prepare: (config) => lazily(async () => (await import('./checks/tool-order.ts')).checkToolOrder(config)),
});
