import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { callCriteria, nameRules, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const configSchema = () =>
  z.strictObject({
    tool: toolName.describe(`the tool that must not be called; ${nameRules}`),
    args: argumentMatchersSchema().optional(),
    criteria: callCriteria,
    within,
  });
export type ToolNotCalledConfig = z.output<ReturnType<typeof configSchema>>;

/** A tool was not called, or not with certain arguments. */
export const toolNotCalled = defineEvaluator({
  type: 'tool-not-called',
  label: 'Tool Not Called',
  kind: 'assertion',
  summary: 'a tool was not called; with args or criteria, not in that way',
  example: { tool: 'delete_booking' },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(async () => (await import('./checks/tool-not-called.ts')).checkToolNotCalled(config)),
});
