import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

/** After each step of a workflow the state is there that the step should lead to. */
export const workflowSuccess = defineEvaluator({
  type: 'workflow-success',
  label: 'End-to-End Success',
  kind: 'assertion',
  summary: 'after each step of a workflow its expectedState is in the last message or the last tool result',
  needs: [],
  configSchema: () => z.strictObject({}),
  prepare: () => lazily(async () => (await import('./checks/workflow-success.ts')).checkWorkflowSuccess),
});
