import type { Loss } from '../../domain/loss.ts';
import { type ReportedUsage, readReplyUsage, type Usage, type UsageReading } from '../../domain/usage.ts';
import { isRecord } from '../../shared/json.ts';
import type { JsonObject } from './codec.ts';
import { recordIn } from './values.ts';

/** Where answers keep their usage. */
const places = ['usage', 'tokenUsage', 'tokensUsage', 'token_usage', 'tokens', 'usage_metadata', 'usageMetadata'];

/** Input of which a cached part is counted beside it, as Anthropic and Bedrock do. */
const freshInputNames = ['input_tokens', 'inputTokens'];
const inputNames = [
  ...['prompt_tokens', 'promptTokens', 'promptTokenCount', 'prompt_eval_count', 'input', 'prompt'],
  ...freshInputNames,
];
const outputNames = [
  ...['completion_tokens', 'output_tokens', 'outputTokens', 'completionTokens', 'candidatesTokenCount'],
  ...['eval_count', 'output', 'completion'],
];
const totalNames = ['total_tokens', 'totalTokens', 'totalTokenCount', 'total'];
const cacheReadNames = ['cache_read_input_tokens', 'cacheReadInputTokens'];
const cacheWriteNames = ['cache_creation_input_tokens', 'cacheWriteInputTokens'];

/** The usage that an answer reports, wherever it keeps it and however it spells it. */
export function usageIn(answer: unknown): UsageReading {
  if (!isRecord(answer)) return { usage: undefined };
  for (const place of places) if (isRecord(answer[place])) return readCounts(answer[place]);
  // At the top level, only the longer names are certain to be token counts.
  return 'eval_count' in answer || 'prompt_eval_count' in answer ? readCounts(answer) : { usage: undefined };
}

/** The gap of a reply whose figures cannot be; none where they can. */
export function usageGaps({ problem }: UsageReading): Loss[] {
  if (problem === undefined) return [];
  return [{ channels: ['usage', 'cost'], reason: `the reported tokens cannot be: ${problem}`, place: 'usage' }];
}

/** The usage that an answer reports, and a gap in its place where it cannot be. */
export function reportedUsage(answer: unknown): {
  readonly usage?: Usage | undefined;
  readonly gaps?: readonly Loss[];
} {
  const reading = usageIn(answer);
  return reading.problem === undefined ? { usage: reading.usage } : { gaps: usageGaps(reading) };
}

/** The usage of one reply in the spelling of any provider or library. */
export function readCounts(counts: JsonObject): UsageReading {
  return readReplyUsage(countsIn(counts));
}

/** The counts of one reply, unchecked. */
export function countsIn(counts: JsonObject): ReportedUsage {
  const details = detailsIn(counts);
  const read = first(counts, cacheReadNames);
  const written = first(counts, cacheWriteNames);
  const isBeside = cachedIsBeside(counts, read, written);
  const [input, total] = [first(counts, inputNames), first(counts, totalNames)];
  const output = outputIn(counts, details.reasoning, total);
  const whole = isBeside
    ? sum(input, read, written, counts.toolUsePromptTokenCount)
    : sum(input, counts.toolUsePromptTokenCount);
  return completed({
    inputTokens: whole,
    cachedInputTokens: read ?? details.cached,
    cacheWriteInputTokens: written ?? details.cacheWrite,
    outputTokens: output,
    reasoningTokens: details.reasoning,
    // Bedrock has counted the cached input into the total, and not counted it.
    totalTokens: isBeside && total === sum(input, output) ? undefined : total,
  });
}

/** Whether tokens of a cache are counted beside the input; a total decides where there is one. */
function cachedIsBeside(counts: JsonObject, read: unknown, written: unknown): boolean {
  if (read === undefined && (written === undefined || 'cacheWriteInputTokens' in counts)) return false;
  if (freshInputNames.every((name) => counts[name] === undefined)) return false;
  const [input, output, total] = [inputNames, outputNames, totalNames].map((names) => first(counts, names));
  const isInside = total !== undefined && total === sum(input, output) && 'input_token_details' in counts;
  return !isInside;
}

function detailsIn(counts: JsonObject) {
  const input = recordIn(
    counts.prompt_tokens_details ??
      counts.input_tokens_details ??
      counts.input_token_details ??
      counts.inputTokenDetails,
  );
  const output = recordIn(
    counts.completion_tokens_details ??
      counts.output_tokens_details ??
      counts.output_token_details ??
      counts.outputTokenDetails,
  );
  return {
    cached:
      input.cached_tokens ??
      input.cache_read ??
      input.cacheReadTokens ??
      counts.cachedInputTokens ??
      counts.cachedContentTokenCount,
    cacheWrite: input.cache_write_tokens ?? input.cache_creation ?? input.cacheWriteTokens,
    reasoning:
      output.reasoning_tokens ??
      output.thinking_tokens ??
      output.reasoning ??
      counts.reasoningTokens ??
      counts.thoughtsTokenCount,
  };
}

/** Gemini counts its thoughts beside the answer, and so do some servers of OpenAI's API, whose total then shows it. */
function outputIn(counts: JsonObject, reasoning: unknown, total: unknown): unknown {
  const output = first(counts, outputNames);
  if (counts.thoughtsTokenCount !== undefined) return sum(output, reasoning);
  const input = first(counts, inputNames);
  const isBeside =
    reasoning !== undefined && reasoning !== 0 && total !== undefined && total === sum(input, output, reasoning);
  return isBeside ? sum(output, reasoning) : output;
}

/** With the total and one side, the other is known. */
function completed(counts: ReportedUsage): ReportedUsage {
  const { inputTokens: input, outputTokens: output, totalTokens: total } = counts;
  if (typeof total !== 'number') return counts;
  if (input === undefined && typeof output === 'number' && output <= total)
    return { ...counts, inputTokens: total - output };
  if (output === undefined && typeof input === 'number' && input <= total)
    return { ...counts, outputTokens: total - input };
  return counts;
}

function first(counts: JsonObject, names: readonly string[]): unknown {
  for (const name of names) if (counts[name] !== undefined && counts[name] !== null) return counts[name];
  return undefined;
}

/** The sum of what is there, undefined where the first is not; a value that is not a number is given as it is, to be refused. */
function sum(base: unknown, ...more: readonly unknown[]): unknown {
  if (base === undefined) return undefined;
  const present = [base, ...more].filter((value) => value !== undefined && value !== null);
  const odd = present.find((value) => typeof value !== 'number');
  return odd ?? present.reduce<number>((total, value) => total + (value as number), 0);
}
