import type { Trace, TraceEvent } from '../domain/trace.ts';
import { cutText, estimateTokens, keepEnds } from './cut-middle.ts';
import { encodeData, redactData, textsIn } from './encode-data.ts';
import type { JudgeSubject, PromptSettings } from './judge.ts';

/** A trace as a judge sees it, and the texts that can be quoted from each event it was shown. */
export interface ShownTrace {
  /** One JSON object each. */
  readonly lines: readonly string[];
  readonly quotable: ReadonlyMap<string, readonly string[]>;
}

interface ShownEvent {
  readonly id: string;
  readonly line: string;
  readonly texts: readonly string[];
  readonly tokens: number;
}

interface ShowOptions extends Pick<PromptSettings, 'redact' | 'tokenBudget'> {
  /** Show no more than the last so many messages and what happened between them. */
  readonly maxMessages?: number | undefined;
  /** Sets the events of two traces in one prompt apart. */
  readonly idPrefix?: string | undefined;
}

const labels = new Set(['type', 'seenBy', 'role', 'channel', 'answers']);
/** Times and call ids differ from run to run; a prompt that held them could not be found in a recording or cache. */
const changing = new Set(['at', 'durationMs', 'callId']);
const largestShareOfOneEvent = 1 / 4;

/** Shows the events of a subject as numbered lines; what does not fit is cut from the middle and the cut is marked. */
export function showTrace(subject: Pick<JudgeSubject, 'trace' | 'finalText'>, options: ShowOptions): ShownTrace {
  const { trace, finalText } = subject;
  const first = options.maxMessages === undefined ? 0 : startOfLastMessages(trace, options.maxMessages);
  const show = eventShower(trace, options);
  const events = trace.slice(first).map((event, offset) => show(event, first + offset));
  if (finalText !== undefined && finalText !== lastAssistantText(trace)) {
    const fields = [['type', 'final-text'] as const, ['text', finalText] as const];
    events.push(showFields(`${options.idPrefix ?? ''}final`, fields, options));
  }
  const { front, back } = keepEnds(
    events.map(({ tokens }) => tokens),
    options.tokenBudget,
  );
  const shown = [...events.slice(0, front), ...events.slice(back)];
  const lines = [
    ...cutMark(first),
    ...events.slice(0, front).map(({ line }) => line),
    ...cutMark(back - front),
    ...events.slice(back).map(({ line }) => line),
  ];
  return { lines, quotable: new Map(shown.map(({ id, texts }) => [id, texts])) };
}

function eventShower(trace: Trace, options: ShowOptions): (event: TraceEvent, index: number) => ShownEvent {
  const prefix = options.idPrefix ?? '';
  const idOf = (index: number): string => `${prefix}e${index + 1}`;
  const callEvents = new Map<string, string>();
  for (const [index, event] of trace.entries()) {
    if (event.type === 'tool-call') callEvents.set(event.callId, idOf(index));
  }
  return (event, index) => {
    const fields = Object.entries(event).filter(([key, field]) => !changing.has(key) && field !== undefined);
    if (event.type === 'tool-result') fields.splice(1, 0, ['answers', callEvents.get(event.callId) ?? 'unknown']);
    return showFields(idOf(index), fields, options);
  };
}

function showFields(id: string, fields: readonly (readonly [string, unknown])[], options: ShowOptions): ShownEvent {
  const maxTokens = (options.tokenBudget * largestShareOfOneEvent) / fields.filter(([key]) => !labels.has(key)).length;
  const line: Record<string, unknown> = { event: id };
  const texts: string[] = [];
  for (const [key, field] of fields) {
    const value = redactData(field, options.redact);
    const cut = cutText(typeof value === 'string' ? value : JSON.stringify(value), maxTokens);
    line[key] = cut ?? value;
    if (!labels.has(key)) texts.push(...(cut ? [cut.head, cut.tail] : textsIn(value)));
  }
  const encoded = encodeData(line);
  return { id, line: encoded, texts, tokens: estimateTokens(encoded) };
}

function cutMark(events: number): string[] {
  return events === 0 ? [] : [encodeData({ cut: `${events} events are not shown here` })];
}

function startOfLastMessages(trace: Trace, count: number): number {
  const messages = trace.flatMap((event, index) => (event.type === 'message' ? [index] : []));
  return messages.length <= count ? 0 : (messages.at(-count) ?? trace.length);
}

function lastAssistantText(trace: Trace): string | undefined {
  const last = trace.findLast((event) => event.type === 'message' && event.role === 'assistant');
  return last?.type === 'message' ? last.text : undefined;
}
