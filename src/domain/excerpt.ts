import * as z from 'zod';
import { isRecord } from '../shared/json.ts';
import { lazySchema } from '../shared/lazy-schema.ts';
import { shorten } from '../shared/text.ts';
import type { Case } from './scenario.ts';
import { isOwnError, toolErrorText } from './tool-error.ts';
import { isDirectCall, type Trace, type TraceEvent } from './trace.ts';
import { assistantText } from './turn.ts';

const longest = { input: 500, expected: 4_000, expectedBehavior: 1_000, answer: 500 } as const;
const parts = ['input', 'expected', 'expectedBehavior', 'answer'] as const;

/** How the input, the expected value and the answer of a trial begin, as text: lists show them without the trace. */
export const excerptSchema = lazySchema(() =>
  z.object({
    input: z.string().optional().describe('first message to the agent, or input of the tool; absent if there was none'),
    expected: z.string().optional().describe('value that the case expects; absent if it names none'),
    expectedBehavior: z.string().optional().describe('what should happen, in words; absent if the case does not say'),
    answer: z
      .string()
      .optional()
      .describe('last message of the agent, or result or error of the tool; absent if there was none'),
    cut: z.array(z.enum(parts)).optional().describe('texts that are longer than they are kept here'),
    metadata: z.record(z.string(), z.string()).optional().describe('of the row of the dataset; absent if it has none'),
  }),
);
export type Excerpt = z.infer<typeof excerptSchema>;

/** A text or value of a trace, with the index of its event. */
export interface FoundText {
  readonly index: number;
  readonly value: unknown;
}

/** The first message to the agent, or the input of a tool that was called directly; undefined where there is none. */
export function inputIn(trace: Trace): FoundText | undefined {
  const message = trace.findIndex((event) => event.type === 'message' && event.role === 'user');
  const index = message >= 0 || !isDirectCall(trace) ? message : trace.findIndex(isOurCall);
  const event = trace[index];
  if (event?.type === 'message') return { index, value: event.text };
  return event?.type === 'tool-call' ? { index, value: event.input } : undefined;
}

function isOurCall({ type, seenBy }: TraceEvent): boolean {
  return type === 'tool-call' && seenBy === 'engine';
}

/** The last words of the agent, or the result or error of a tool that was called directly; undefined without any. */
export function answerIn(trace: Trace): FoundText | undefined {
  const index = trace.findLastIndex(isDirectCall(trace) ? isOurResult : hasWords);
  const event = trace[index];
  switch (event?.type) {
    case 'message':
      return { index, value: event.text };
    case 'turn':
      return { index, value: assistantText(event) };
    case 'tool-result':
      return { index, value: event.result === undefined && event.error ? toolErrorText(event.error) : event.result };
    default:
      return undefined;
  }
}

function isOurResult(event: TraceEvent): boolean {
  if (event.type !== 'tool-result' || event.seenBy !== 'engine') return false;
  return event.result !== undefined || (event.error !== undefined && !isOwnError(event.error));
}

/** Whether the agent says something in an event; the words of a turn are usually events as well, which come later. */
function hasWords(event: TraceEvent): boolean {
  if (event.type === 'message') return event.role === 'assistant' && event.text !== '';
  return event.type === 'turn' && (assistantText(event) ?? '') !== '';
}

/**
 * The excerpt of a trial; undefined where there is nothing to show. The trace is free of secrets already. What comes from
 * the files is redacted before it is cut: half of a secret would not be recognised.
 */
export function excerptOf(
  { expected, expectedBehavior, metadata }: Pick<Case, 'expected' | 'expectedBehavior' | 'metadata'>,
  trace: Trace,
  redact: (text: string) => string,
): Excerpt | undefined {
  const fromFile = (text: string | undefined): string | undefined => (text === undefined ? undefined : redact(text));
  const texts = {
    input: textOf(inputIn(trace)?.value),
    expected: fromFile(textOf(expected)),
    expectedBehavior: fromFile(expectedBehavior),
    answer: textOf(answerIn(trace)?.value),
  };
  const excerpt: { -readonly [Part in keyof Excerpt]: Excerpt[Part] } = {};
  for (const part of parts) {
    const text = texts[part];
    if (text === undefined) continue;
    excerpt[part] = shorten(text, longest[part]);
    if (text.length > longest[part]) excerpt.cut = [...(excerpt.cut ?? []), part];
  }
  const labels = metadataTexts(metadata, redact);
  if (labels) excerpt.metadata = labels;
  return Object.keys(excerpt).length === 0 ? undefined : excerpt;
}

/** Texts as they are, other values as JSON. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const mostLabels = 30;
const longestLabel = 200;

function metadataTexts(metadata: unknown, redact: (text: string) => string): Record<string, string> | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const entries = isRecord(metadata) ? Object.entries(metadata) : [['metadata', metadata] as const];
  const texts = entries
    .slice(0, mostLabels)
    .map(([name, value]) => [shorten(redact(name), longestLabel), shorten(redact(textOf(value) ?? ''), longestLabel)]);
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}
