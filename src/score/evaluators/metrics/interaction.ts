import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';

/** How well the agent used the tool: errors, retries, help, first tries. Diagnostic, and never part of the outcome. */
export const interaction = defineEvaluator({
  type: 'interaction',
  label: 'Interaction',
  kind: 'metric',
  summary: 'how well the agent used the tool: errors, retries, help, success at the first try',
  needs: ['workspace'],
  readsTraceOnly: true,
  configSchema: () => z.strictObject({}),
  // Loaded when a trial asks for it: most runs have no agents.
  prepare: () => async (context) => (await import('./measure-interaction.ts')).measureInteraction(context),
});
