import { fieldAt } from '../field-at.ts';
import { countOf, numberOf } from '../json-shapes.ts';

interface AcpUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** The tokens that the answer to a prompt tells; undefined when it tells none. */
export function acpUsage(answer: unknown): AcpUsage | undefined {
  const usage = fieldAt(answer, 'usage');
  const quota = fieldAt(answer, '_meta', 'quota', 'token_count');
  const input = numberOf(fieldAt(usage, 'inputTokens')) ?? numberOf(fieldAt(quota, 'input_tokens'));
  const output = numberOf(fieldAt(usage, 'outputTokens')) ?? numberOf(fieldAt(quota, 'output_tokens'));
  if (input === undefined || output === undefined) return undefined;
  const cached = countOf(fieldAt(usage, 'cachedReadTokens'));
  const cache = cached + countOf(fieldAt(usage, 'cachedWriteTokens'));
  const thought = countOf(fieldAt(usage, 'thoughtTokens'));
  // Agents differ in whether cached and thought tokens are counted apart; what the total has more gives it away.
  const apart = countOf(fieldAt(usage, 'totalTokens')) - input - output;
  return {
    inputTokens: input + (apart === cache || apart === cache + thought ? cache : 0),
    outputTokens: output + (apart === thought || apart === cache + thought ? thought : 0),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(thought > 0 ? { reasoningTokens: thought } : {}),
  };
}
