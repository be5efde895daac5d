import * as z from 'zod';
import { channelCoverage } from '../../../domain/coverage.ts';
import { defineEvaluator } from '../evaluator.ts';
import { shortened } from '../excerpt.ts';
import { toolNamesOf } from '../turn-figures.ts';

const noCalls = "No tool calls (or connector doesn't support tool_calls)";

/** Number of tool calls of the agent. */
export const toolCallCount = defineEvaluator({
  type: 'tool-call-count',
  label: 'Tool Call Count',
  kind: 'metric',
  summary: 'tool calls, summed over the conversation; needs a connector that reports them',
  needs: [],
  reads: { channels: { 'tool-calls': 'total' }, scope: 'answer' },
  configSchema: () => z.strictObject({}),
  aggregate: 'sum',
  prepare: () => (context) => {
    const toolNames = toolNamesOf(context);
    const value = toolNames.length;
    if (value === 0 && channelCoverage(context.trace, 'tool-calls').state === 'none')
      return { state: 'no-data', reason: noCalls };
    const reason = value === 0 ? noCalls : `${value} tool call(s) in this turn: ${shortened(toolNames.join(', '))}`;
    return { state: 'measured', value, reason, metadata: { toolCallCount: value, toolNames } };
  },
});
