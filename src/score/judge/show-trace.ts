import type { EvidenceSource } from '../../domain/judge-result.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import {
  cutText,
  encodeData,
  estimateTokens,
  keepEnds,
  redactData,
  textsIn,
} from '../../drive/models/prompting/encode-data.ts';
import { isRecord } from '../../shared/json.ts';
import { type EventSource, eventSources, eventsForJudge, quotableFields, usualEvidence } from './event-source.ts';
import type { JudgeSubject, PromptSettings, SeenLook } from './judge.ts';

/** A trace as a judge sees it, and the texts that can be quoted from each event it was shown. */
export interface ShownTrace {
  /** One JSON object each. */
  readonly lines: readonly string[];
  readonly quotable: ReadonlyMap<string, readonly string[]>;
  /** Events that are shown and are not evidence, with whose words they hold. */
  readonly unquotable: ReadonlyMap<string, EventSource>;
  /** False where something was left out to keep within the budget. */
  readonly isWhole: boolean;
}

interface ShownEvent {
  readonly id: string;
  readonly source: EventSource;
  readonly line: string;
  readonly texts: readonly string[];
  readonly tokens: number;
  readonly isCut: boolean;
}

interface ShowOptions extends Pick<PromptSettings, 'redact' | 'tokenBudget'> {
  /** Show no more than the last so many messages and what happened between them. */
  readonly maxMessages?: number | undefined;
  /** Sets the events of two traces in one prompt apart. */
  readonly idPrefix?: string | undefined;
  /** Whose words count as evidence. */
  readonly evidenceFrom?: readonly EvidenceSource[] | undefined;
}

const labels = new Set(['type', 'from', 'seenBy', 'role', 'channel', 'answers']);
/** Times and call ids differ from run to run; a prompt that held them could not be found in a recording or cache. */
const changing = new Set(['at', 'durationMs', 'callId', 'latencyMs', 'totalMs']);
const largestShareOfOneEvent = 1 / 4;

/** Shows the events of a subject as numbered lines; what does not fit is cut from the middle and the cut is marked. */
export function showTrace(
  subject: Pick<JudgeSubject, 'trace' | 'finalText' | 'looks'>,
  options: ShowOptions,
): ShownTrace {
  const { finalText } = subject;
  const trace = eventsForJudge(subject.trace);
  const evidenceFrom: readonly EventSource[] = options.evidenceFrom ?? usualEvidence;
  const first = options.maxMessages === undefined ? 0 : startOfLastMessages(trace, options.maxMessages);
  const show = eventShower(trace, options);
  const events = trace.slice(first).map((event, offset) => show(event, first + offset));
  if (finalText !== undefined && finalText !== lastAssistantText(trace)) {
    const fields = [['type', 'final-text'] as const, ['from', 'agent'] as const, ['text', finalText] as const];
    events.push(showFields(`${options.idPrefix ?? ''}final`, 'agent', fields, options));
  }
  events.push(...showLooks(subject.looks ?? [], trace, options));
  const { front, back } = keepEnds(
    events.map(({ tokens }) => tokens),
    options.tokenBudget,
  );
  const rendered = [...events.slice(0, front), ...events.slice(back)];
  const lines = [
    ...cutMark(first),
    ...events.slice(0, front).map(({ line }) => line),
    ...cutMark(back - front),
    ...events.slice(back).map(({ line }) => line),
  ];
  const isEvidence = ({ source }: ShownEvent): boolean => evidenceFrom.includes(source);
  return {
    lines,
    isWhole: first === 0 && rendered.length === events.length && !rendered.some(({ isCut }) => isCut),
    quotable: new Map(rendered.filter(isEvidence).map(({ id, texts }) => [id, texts])),
    unquotable: new Map(rendered.filter((event) => !isEvidence(event)).map(({ id, source }) => [id, source])),
  };
}

/** Looks of the judge; only lines of files can be quoted, the rest is made by Assay. */
function showLooks(looks: readonly SeenLook[], trace: Trace, options: ShowOptions): ShownEvent[] {
  const show = eventShower(trace, { ...options, tokenBudget: options.tokenBudget / largestShareOfOneEvent });
  return looks.flatMap(({ id, tool, path, wanted, firstLine, lines, lineCount, entries, events, range, problem }) => {
    const [first = 0, last = -1] = events ?? [];
    const shownLines =
      lines && firstLine !== undefined && `${firstLine}-${firstLine + lines.length - 1} of ${lineCount}`;
    const fields: [string, unknown][] = [
      ['type', 'look'],
      ['from', 'agent'],
      ['look', tool],
      ['file', path],
      ['search', wanted],
      ['events', range],
      ['lines', shownLines],
      ['entries', entries],
      ['text', lines?.join('\n')],
      ['problem', problem],
    ];
    const own = showFields(
      `${options.idPrefix ?? ''}${id}`,
      'agent',
      fields.filter(([, value]) => value !== undefined),
      options,
    );
    return [
      own,
      ...trace.slice(Math.max(first - 1, 0), Math.max(last, 0)).map((event, offset) => show(event, first - 1 + offset)),
    ];
  });
}

function eventShower(trace: Trace, options: ShowOptions): (event: TraceEvent, index: number) => ShownEvent {
  const prefix = options.idPrefix ?? '';
  const sourceOf = eventSources(trace);
  const idOf = (index: number): string => `${prefix}e${index + 1}`;
  const callEvents = new Map<string, string>();
  for (const [index, event] of trace.entries()) {
    if (event.type === 'tool-call') callEvents.set(event.callId, idOf(index));
  }
  return (event, index) => {
    const fields = Object.entries(event).filter(([key, field]) => !changing.has(key) && field !== undefined);
    if (event.type === 'tool-result') fields.splice(1, 0, ['answers', callEvents.get(event.callId) ?? 'unknown']);
    const source = sourceOf(event);
    fields.splice(1, 0, ['from', source]);
    return showFields(idOf(index), source, fields, options);
  };
}

function showFields(
  id: string,
  source: EventSource,
  fields: readonly (readonly [string, unknown])[],
  options: ShowOptions,
): ShownEvent {
  const maxTokens = (options.tokenBudget * largestShareOfOneEvent) / fields.filter(([key]) => !labels.has(key)).length;
  const line: Record<string, unknown> = { event: id };
  const texts: string[] = [];
  let isCut = false;
  for (const [key, field] of fields) {
    const value = redactData(field, options.redact);
    const cut = cutText(typeof value === 'string' ? value : JSON.stringify(value), maxTokens);
    line[key] = cut ?? value;
    isCut ||= cut !== undefined;
    if (quotableFields.has(key)) texts.push(...(cut ? [cut.head, cut.tail] : textsIn(withoutFigures(key, value))));
  }
  const encoded = encodeData(line);
  return { id, source, line: encoded, texts, tokens: estimateTokens(encoded), isCut };
}

/** Of captured output only the text was printed; how much of it was left out is a figure of Assay. */
function withoutFigures(key: string, value: unknown): unknown {
  return (key === 'stdout' || key === 'stderr') && isRecord(value) ? value.text : value;
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
