import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

/** The tools of a workflow were called in the order that it expects. */
export const workflowToolOrder = defineEvaluator({
  type: 'workflow-tool-order',
  label: 'Tool Invocation Order',
  kind: 'assertion',
  summary: "the expectTools of a workflow were called by the workflow's order rule",
  needs: [],
  configSchema: () => z.strictObject({}),
  prepare: () => lazily(async () => (await import('./checks/workflow-tool-order.ts')).checkWorkflowToolOrder),
});
