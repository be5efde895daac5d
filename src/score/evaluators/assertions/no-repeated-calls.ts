import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { allow, onlyTools, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    allow,
    tools: onlyTools,
    consecutive: z
      .boolean()
      .default(false)
      .describe('only a call that directly follows the one that it repeats counts'),
    within,
  });
export type NoRepeatedCallsConfig = z.output<ReturnType<typeof configSchema>>;

/** No tool was called again with the same arguments. */
export const noRepeatedCalls = defineEvaluator({
  type: 'no-repeated-calls',
  label: 'No Repeated Calls',
  kind: 'assertion',
  summary: 'no tool was called again with the same arguments, whatever the order of their names',
  example: { allow: 1 },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(async () => (await import('./checks/no-repeated-calls.ts')).checkNoRepeatedCalls(config)),
});
