import * as z from 'zod';
import { grouped, unknownFigure } from '../shared/format.ts';
import { lazySchema } from '../shared/lazy-schema.ts';

const tokens = (what: string) => z.number().optional().describe(`${what}; absent: not known`);

/** Tokens of a reply, or of several: the only shape in which they are kept. */
export const usageShape = () => ({
  inputTokens: tokens('all of the input, what was read from a cache or written to one included'),
  cachedInputTokens: tokens('the part of the input that was read from a cache'),
  cacheWriteInputTokens: tokens('the part of the input that was written to a cache'),
  outputTokens: tokens('all of the output, reasoning included'),
  reasoningTokens: tokens('the part of the output that was reasoning'),
  totalTokens: tokens('input and output together, where only their sum was reported'),
});
/** A usage as records and documents hold it. */
export const usageSchema = lazySchema(() => z.object(usageShape()));

export type Usage = { readonly [Part in keyof ReturnType<typeof usageShape>]?: number | undefined };

/** Tokens as columns of lists: null where they are not known. */
export const tokenColumnsShape = () => ({ inputTokens: z.number().nullable(), outputTokens: z.number().nullable() });
export type TokenColumns = {
  readonly [Part in keyof Usage & keyof ReturnType<typeof tokenColumnsShape>]: number | null;
};

/** Usage of which both sides are known. */
export type KnownUsage = Usage & { readonly inputTokens: number; readonly outputTokens: number };

const parts = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'outputTokens',
  'reasoningTokens',
  'totalTokens',
] as const satisfies readonly (keyof Usage)[];

/** No request of today has a thousandth of this; a larger number is a mistake, such as an id or a time. */
const mostTokens = 1e12;

/** Input and output together; undefined where one of them is not known. */
export function totalTokensOf({ inputTokens, outputTokens, totalTokens }: Usage): number | undefined {
  return inputTokens === undefined || outputTokens === undefined ? totalTokens : inputTokens + outputTokens;
}

/** Tokens as criteria, plug-ins and JSON spell them. */
export interface TokenUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly total?: number | undefined;
}

/** Usage in that spelling. */
export function tokenCounts(usage: Usage): TokenUsage {
  return { input: usage.inputTokens, output: usage.outputTokens, total: totalTokensOf(usage) };
}

/** Usage from that spelling. */
export function usageOfCounts({ input, output, total }: TokenUsage): Usage {
  const isKnown = input !== undefined && output !== undefined;
  return knownUsage({ inputTokens: input, outputTokens: output, ...(!isKnown && { totalTokens: total }) }) ?? {};
}

/** Usage without the parts that are not known; undefined where nothing is. */
export function knownUsage(usage: Usage): Usage | undefined {
  const present: { -readonly [Part in keyof Usage]: Usage[Part] } = {};
  let isKnown = false;
  for (const part of parts) {
    if (usage[part] === undefined) continue;
    present[part] = usage[part];
    isKnown = true;
  }
  return isKnown ? present : undefined;
}

/** The sum of several: a part that is unknown in one of them is unknown in the sum, never 0. */
export function sumOfUsage(usages: readonly Usage[]): Usage | undefined {
  const [first, ...others] = usages;
  if (!first) return undefined;
  return others.reduce<Usage>((sum, usage) => {
    const added = parts.map((part) => [part, plus(sum[part], usage[part])] as const);
    const total = plus(totalTokensOf(sum), totalTokensOf(usage));
    const merged: Usage = { ...Object.fromEntries(added), totalTokens: total };
    return withoutNeedlessTotal(merged);
  }, knownUsage(first) ?? {});
}

function withoutNeedlessTotal(usage: Usage): Usage {
  const isKnown = usage.inputTokens !== undefined && usage.outputTokens !== undefined;
  return knownUsage(isKnown ? { ...usage, totalTokens: undefined } : usage) ?? {};
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** Usage as a source reported it, nothing of which is certain. */
export type ReportedUsage = { readonly [Part in keyof Usage]?: unknown };

/** Usage that can be, or why it cannot. */
export type UsageReading =
  | { readonly usage: Usage | undefined; readonly problem?: undefined }
  | { readonly usage: undefined; readonly problem: string };

/**
 * Reads what a provider, an agent or a file reported. Numbers that cannot be, and sums that contradict their parts, are
 * unreadable as a whole: it is unknown which of them is wrong.
 */
export function readUsage(reported: ReportedUsage): UsageReading {
  const usage: { -readonly [Part in keyof Usage]: Usage[Part] } = {};
  for (const part of parts) {
    const count = reported[part];
    if (count === undefined || count === null) continue;
    if (!isCount(count)) return { usage: undefined, problem: `${part} is ${JSON.stringify(count)}` };
    usage[part] = count;
  }
  const problem = contradictionIn(usage);
  if (problem !== undefined) return { usage: undefined, problem };
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) delete usage.totalTokens;
  return { usage: Object.keys(usage).length > 0 ? usage : undefined };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostTokens;
}

function contradictionIn(usage: Usage): string | undefined {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, reasoningTokens, totalTokens } = usage;
  const [cached, written] = [cachedInputTokens ?? 0, cacheWriteInputTokens ?? 0];
  if (inputTokens !== undefined && cached + written > inputTokens)
    return `${cached} cached and ${written} written tokens are more than ${inputTokens} tokens of input`;
  if (outputTokens !== undefined && (reasoningTokens ?? 0) > outputTokens)
    return `${reasoningTokens} tokens of reasoning are more than ${outputTokens} tokens of output`;
  const [input, output] = [inputTokens ?? 0, outputTokens ?? 0];
  const hasBoth = inputTokens !== undefined && outputTokens !== undefined;
  if (totalTokens !== undefined && (hasBoth ? totalTokens !== input + output : totalTokens < input + output))
    return `a total of ${totalTokens} tokens contradicts ${input} of input and ${output} of output`;
  return undefined;
}

/** The same for a single reply of a model: one that was prompted has read something. */
export function readReplyUsage(reported: ReportedUsage): UsageReading {
  const read = readUsage(reported);
  const input = read.usage?.inputTokens ?? read.usage?.totalTokens;
  return input === 0 ? { usage: undefined, problem: 'no request has 0 tokens of input' } : read;
}

/** Tokens for people: `1,200 tokens in, 30 out`; a part that is not known is `–`. */
export function tokensText({ inputTokens, outputTokens, totalTokens }: Usage): string {
  // The total is kept only where a side is not known.
  if (totalTokens !== undefined) return `${grouped(totalTokens)} tokens`;
  return `${countText(inputTokens)} tokens in, ${countText(outputTokens)} out`;
}

function countText(count: number | undefined): string {
  return count === undefined ? unknownFigure : grouped(count);
}
