import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { grouped } from '../../../../shared/format.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { callsSoFar } from '../../turn-figures.ts';
import { nameRules, toolName } from '../tool-use/tool-use-config.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z
    .strictObject({
      maxCalls: z.int().min(0).optional().describe('most tool calls in the whole conversation'),
      perTool: z
        .record(toolName, z.int().min(0))
        .optional()
        .describe(`most calls of single tools, by name; ${nameRules}`),
    })
    .refine(
      ({ maxCalls, perTool }) => maxCalls !== undefined || perTool !== undefined,
      'Give at least one of maxCalls and perTool',
    );

/** The agent made no more tool calls than allowed. */
export const toolCallBudget = defineEvaluator({
  type: 'tool-call-budget',
  label: 'Tool Call Budget',
  kind: 'assertion',
  summary: 'the whole conversation had at most maxCalls tool calls, in total or per tool',
  example: { maxCalls: 5, perTool: { search: 2 } },
  needs: [],
  reads: ({ perTool = {} }) => ({ channels: { 'tool-calls': 'total' }, tools: Object.keys(perTool) }),
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxCalls, perTool = {} }) =>
    ({ trace }) => {
      const calls = callsSoFar(trace);
      const spent = [
        ...(maxCalls === undefined ? [] : [{ actual: calls.length, limit: maxCalls, what: 'tool calls' }]),
        ...Object.entries(perTool).map(([name, limit]) => ({
          actual: calls.filter((call) => isNamed(call, name)).length,
          limit,
          what: `calls of ${name}`,
        })),
      ];
      const exceeded = spent.filter(({ actual, limit }) => actual > limit);
      const details = exceeded.length > 0 ? exceeded : spent;
      const reason = details
        .map(({ actual, limit, what }) => `${grouped(actual)} / ${grouped(limit)} ${what}`)
        .join(', ');
      const { actual, limit } = details[0] ?? { actual: 0, limit: 0 };
      return withinBudget({ actual, limit, reason, onlyGrows: true });
    },
});
