import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

/** Every tool that a workflow called has answered without an error. */
export const workflowCallHealth = defineEvaluator({
  type: 'workflow-call-health',
  label: 'Tool Call Health',
  kind: 'assertion',
  summary: 'every tool that was called in a workflow answered without an error',
  needs: [],
  configSchema: () => z.strictObject({}),
  prepare: () => lazily(async () => (await import('./checks/workflow-call-health.ts')).checkWorkflowCallHealth),
});
