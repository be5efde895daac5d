import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { checkedJsonSchema } from './checked-json-schema.ts';
import { lazily } from './lazily.ts';
import { callCriteria, nameRules, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const configSchema = () =>
  z
    .strictObject({
      tool: toolName.default('*').describe(`whose calls are looked at; ${nameRules}`),
      schema: checkedJsonSchema().optional().describe('JSON Schema that the arguments of every call are valid against'),
      args: argumentMatchersSchema().optional(),
      criteria: callCriteria,
      within,
    })
    .refine(
      ({ schema, args, criteria }) => schema !== undefined || args !== undefined || criteria.length > 0,
      'Give at least one of schema, args and criteria',
    );
export type ToolArgumentsConfig = z.output<ReturnType<typeof configSchema>>;

/** Every call of a tool has arguments as they should be. */
export const toolArguments = defineEvaluator({
  type: 'tool-arguments',
  label: 'Tool Arguments',
  kind: 'assertion',
  summary: 'the arguments of every call fit a schema, matchers or criteria; no call at all passes',
  example: { tool: 'book_table', args: { guests: { gte: 1, lte: 12 } } },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(async () => (await import('./checks/tool-arguments.ts')).checkToolArguments(config)),
});
