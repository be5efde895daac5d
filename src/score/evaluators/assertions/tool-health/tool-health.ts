import { defineEvaluator, lazily } from '../../evaluator.ts';

/** Every test of a suite against an MCP server holds. */
export const toolHealth = defineEvaluator({
  type: 'tool-health',
  kind: 'assertion',
  summary: 'every test of a suite for an MCP server passed',
  reads: { channels: {}, whereReported: { 'tool-results': 'exact' } },
  prepare: () => lazily(async () => (await import('./check-suite.ts')).checkToolHealth),
});
