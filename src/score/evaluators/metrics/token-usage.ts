import * as z from 'zod';
import { unknownFigure } from '../../../shared/format.ts';
import { defineEvaluator, type EvaluationContext } from '../evaluator.ts';
import { knownTokens, noTokenUsage, type TokenPart } from '../turn-figures.ts';

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
  reads: { channels: { usage: 'total' }, scope: 'answer' },
  configSchema,
  aggregate: 'sum',
  metricLabel: ({ track }) => (track === 'total' ? undefined : track),
  prepare:
    ({ track }) =>
    (context) => {
      const counted = knownTokens(context, track);
      if (!counted?.isAll) return { state: 'no-data', reason: noTokenUsage };
      const [total, input, output] = tokenParts.map((part) => tokensOr(context, part));
      const reason = `Token usage: ${total} (${input} in / ${output} out)`;
      return { state: 'measured', value: counted.tokens, reason, metadata: { total, input, output } };
    },
});

const tokenParts: readonly TokenPart[] = ['total', 'input', 'output'];

function tokensOr(context: EvaluationContext, part: TokenPart): number | string {
  const counted = knownTokens(context, part);
  return counted?.isAll ? counted.tokens : unknownFigure;
}
