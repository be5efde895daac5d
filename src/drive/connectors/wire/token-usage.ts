import type { TokenUsage } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';

/** Where answers keep their usage. */
const places = ['tokenUsage', 'usage', 'tokensUsage', 'token_usage', 'tokens', 'usage_metadata', 'usageMetadata'];

const inputNames = [
  'input',
  'input_tokens',
  'prompt_tokens',
  'inputTokens',
  'promptTokens',
  'promptTokenCount',
  'prompt_eval_count',
  'prompt',
];
/** Anthropic counts tokens read from and written to its cache separately; they are input too. */
const cachedNames = ['cache_creation_input_tokens', 'cache_read_input_tokens'];
const outputNames = [
  'output',
  'output_tokens',
  'completion_tokens',
  'outputTokens',
  'completionTokens',
  'candidatesTokenCount',
  'eval_count',
  'completion',
];
const totalNames = ['total', 'total_tokens', 'totalTokens', 'totalTokenCount'];

/** The token usage that an answer reports, in any of the usual spellings. */
export function usageIn(answer: unknown): TokenUsage | undefined {
  if (!isRecord(answer)) return undefined;
  for (const place of places) {
    const usage = readUsage(answer[place]);
    if (usage) return usage;
  }
  // At the top level, only the longer names are certain to be token counts.
  return 'eval_count' in answer ? readUsage(answer) : undefined;
}

/** A record of counts as usage; undefined where it does not distinguish input from output. */
export function readUsage(counts: unknown): TokenUsage | undefined {
  if (!isRecord(counts)) return undefined;
  const uncached = firstCount(counts, inputNames);
  const cached = cachedNames.reduce((sum, name) => sum + (countIn(counts[name]) ?? 0), 0);
  const input = uncached === undefined ? undefined : uncached + cached;
  return completeUsage(input, firstCount(counts, outputNames), firstCount(counts, totalNames));
}

/** Usage from any two of the counts. */
export function completeUsage(
  input: number | undefined,
  output: number | undefined,
  total: number | undefined,
): TokenUsage | undefined {
  if (input !== undefined && output !== undefined) return { input, output, total: total ?? input + output };
  if (total === undefined) return undefined;
  if (input !== undefined) return { input, output: Math.max(0, total - input), total };
  return output === undefined ? undefined : { input: Math.max(0, total - output), output, total };
}

export function addUsage(sum: TokenUsage | undefined, more: TokenUsage | undefined): TokenUsage | undefined {
  if (!sum || !more) return sum ?? more;
  return { input: sum.input + more.input, output: sum.output + more.output, total: sum.total + more.total };
}

/** A number of tokens; undefined for any other value. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function firstCount(counts: Record<string, unknown>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = countIn(counts[name]);
    if (count !== undefined) return count;
  }
  return undefined;
}
