import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { callCriteria, nameRules, toolName, within } from './tool-use-config.ts';
import { valueMatcherShape } from './value-matcher.ts';

const configSchema = () =>
  z
    .strictObject({
      tool: toolName.describe(`whose results are looked at; ${nameRules}`),
      of: z
        .enum(['some', 'every', 'last'])
        .default('some')
        .describe('which of its answered calls must have such a result; every: no call at all passes'),
      criteria: callCriteria,
      within,
      ...valueMatcherShape(),
    })
    .refine(
      ({ tool: _tool, of: _of, within: _within, criteria, ...words }) =>
        criteria.length > 0 || Object.values(words).some((word) => word !== undefined),
      'Give criteria, or at least one of equals, matches, contains, gt, gte, lt, lte and schema',
    );
export type ToolResultConfig = z.output<ReturnType<typeof configSchema>>;

/** What a tool gave back is as it should be. */
export const toolResult = defineEvaluator({
  type: 'tool-result',
  label: 'Tool Result',
  kind: 'assertion',
  summary: 'what a tool gave back: equal to a value, containing it, fitting a schema or criteria',
  example: { tool: 'book_table', contains: { status: 'booked' } },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: ({ of }) => (of === 'every' ? 'every-turn' : of === 'last' ? 'final' : 'eventually'),
  prepare: (config) => lazily(async () => (await import('./checks/tool-result.ts')).checkToolResult(config)),
});
