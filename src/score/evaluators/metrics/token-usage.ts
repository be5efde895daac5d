import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { noTokenUsage, tokenUsageOf, unreportedTokens } from '../turn-figures.ts';

const configSchema = () =>
  z.strictObject({
    track: z.enum(['total', 'input', 'output']).default('total').describe('tokens to count: all, input or output'),
  });

/** How many tokens the answers took. */
export const tokenUsage = defineEvaluator({
  type: 'token-usage',
  label: 'Token Usage',
  kind: 'metric',
  summary: 'tokens, summed over the conversation; needs a connector that reports them',
  example: { track: 'output' },
  needs: [],
  configSchema,
  aggregate: 'sum',
  metricLabel: ({ track }) => (track === 'total' ? undefined : track),
  prepare:
    ({ track }) =>
    (context) => {
      const usage = tokenUsageOf(context);
      if (!usage) return { state: 'no-data', reason: noTokenUsage };
      const unreported = unreportedTokens(context);
      if (unreported !== undefined) return { state: 'no-data', reason: unreported };
      const { total, input, output } = usage;
      const value = usage[track];
      if (value === undefined) return { state: 'no-data', reason: noTokenUsage };
      const sides = input === undefined || output === undefined ? '' : ` (${input} in / ${output} out)`;
      return {
        state: 'measured',
        value,
        reason: `Token usage: ${total ?? value}${sides}`,
        metadata: { total, input, output },
      };
    },
});
