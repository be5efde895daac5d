import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';

const configSchema = () =>
  z.strictObject({
    name: z.string().min(1).describe('name of the script in the report'),
    command: z
      .string()
      .describe('shell command that runs in the work directory and prints {metrics?, score?, summary?}'),
    timeout_secs: z.number().positive().max(86_400).default(60).describe('longest time that the command may take'),
  });
export type ScriptEvaluatorConfig = z.output<ReturnType<typeof configSchema>>;

/** Numbers that a script of the scenario's author computes from the work left behind. */
export const scriptEvaluator = defineEvaluator({
  type: 'script-evaluator',
  label: 'Script evaluator',
  kind: 'metric',
  summary: 'numbers that a script prints as {metrics?, score?, summary?}',
  example: { name: 'coverage', command: './coverage.sh' },
  needs: ['workspace'],
  configSchema,
  metricName: ({ name }) => name,
  // Loaded when a trial asks for it: most runs have no scripts.
  prepare: (config) => async (context) => (await import('./script-report.ts')).measureByScript(config, context),
});
