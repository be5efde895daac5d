import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { callCriteria, nameRules, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const count = z.int().min(0);

const times = z
  .union([
    count.min(1),
    z
      .strictObject({
        min: count.default(1).describe('at least this often'),
        max: count.optional().describe('at most this often'),
      })
      .refine(({ min, max = min }) => min <= max, { path: ['max'], message: 'max is less than min' }),
  ])
  .default({ min: 1 })
  .describe('how often: exactly so many times, or { min (1), max }');

const configSchema = () =>
  z.strictObject({
    tool: toolName.describe(`the tool that must be called; ${nameRules}`),
    args: argumentMatchersSchema().optional(),
    noOtherArgs: z.boolean().default(false).describe('the call has no arguments beside those of args'),
    criteria: callCriteria,
    times,
    within,
  });
export type ToolCalledConfig = z.output<ReturnType<typeof configSchema>>;

/** A tool was called, with the arguments and as often as it should be. */
export const toolCalled = defineEvaluator({
  type: 'tool-called',
  label: 'Tool Called',
  kind: 'assertion',
  summary: 'a tool was called, with these arguments and as often as wanted',
  example: { tool: 'book_table', args: { guests: 2 }, times: 1 },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  // What must not happen too often is known at the end only.
  when: ({ times: wanted }) => (typeof wanted === 'number' || wanted.max !== undefined ? 'final' : 'eventually'),
  prepare: (config) => lazily(async () => (await import('./checks/tool-called.ts')).checkToolCalled(config)),
});
