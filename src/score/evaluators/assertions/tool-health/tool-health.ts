import * as z from 'zod';
import { defineEvaluator, lazily } from '../../evaluator.ts';

/** Every test of a suite against an MCP server holds. */
export const toolHealth = defineEvaluator({
  type: 'tool-health',
  label: 'Tool Health',
  kind: 'assertion',
  summary: 'every test of a suite for an MCP server passed',
  needs: [],
  reads: { channels: {}, whereReported: { 'tool-results': 'exact' } },
  configSchema: () => z.strictObject({}),
  prepare: () => lazily(async () => (await import('./check-suite.ts')).checkToolHealth),
});
