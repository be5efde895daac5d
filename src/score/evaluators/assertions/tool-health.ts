import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

/** Every test of a suite against an MCP server holds. */
export const toolHealth = defineEvaluator({
  type: 'tool-health',
  label: 'Tool Health',
  kind: 'assertion',
  summary: 'every test of a suite against an MCP server holds',
  needs: [],
  configSchema: () => z.strictObject({}),
  prepare: () => lazily(async () => (await import('./checks/tool-health/tool-health.ts')).checkToolHealth),
});
