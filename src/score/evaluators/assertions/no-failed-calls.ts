import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { allow, onlyTools, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    allow,
    tools: onlyTools,
    exitCodes: z.boolean().default(false).describe('a shell command with an exit code other than 0 has failed too'),
    within,
  });
export type NoFailedCallsConfig = z.output<ReturnType<typeof configSchema>>;

/** No tool answered with an error. */
export const noFailedCalls = defineEvaluator({
  type: 'no-failed-calls',
  label: 'No Failed Calls',
  kind: 'assertion',
  summary: 'no call of a tool ended with an error or, where that can be seen, without an answer',
  example: { allow: 1 },
  needs: [],
  needsReports: ['tool-calls'],
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(async () => (await import('./checks/no-failed-calls.ts')).checkNoFailedCalls(config)),
});
