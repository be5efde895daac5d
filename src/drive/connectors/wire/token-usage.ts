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
/** Anthropic counts apart what it reads from and writes to its cache; it is input all the same. */
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

/** The tokens that an answer says it took, in any of the usual spellings. */
export function usageIn(answer: unknown): TokenUsage | undefined {
  if (!isRecord(answer)) return undefined;
  for (const place of places) {
    const usage = readUsage(answer[place]);
    if (usage) return usage;
  }
  // Without a place of their own only the longer names can be trusted to be counts of tokens.
  return 'eval_count' in answer ? readUsage(answer) : undefined;
}

/** A record of counts as usage; undefined where it does not tell input and output apart. */
export function readUsage(counts: unknown): TokenUsage | undefined {
  if (!isRecord(counts)) return undefined;
  const uncached = firstCount(counts, inputNames);
  const cached = cachedNames.reduce((sum, name) => sum + (countIn(counts[name]) ?? 0), 0);
  const input = uncached === undefined ? undefined : uncached + cached;
  return completeUsage(input, firstCount(counts, outputNames), firstCount(counts, totalNames));
}

/** Usage from the counts that are known: any two of them, or input and output with a total of its own. */
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

/** The sum of what several messages took. */
export function addUsage(sum: TokenUsage | undefined, more: TokenUsage | undefined): TokenUsage | undefined {
  if (!sum || !more) return sum ?? more;
  return { input: sum.input + more.input, output: sum.output + more.output, total: sum.total + more.total };
}

/** A count of tokens; undefined for what is none. */
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
