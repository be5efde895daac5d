import { ChatTraceBuilder } from './chat-trace.ts';
import { msBetween, nameOf, wordsOf } from './coerce.ts';
import type { ImportedTrial } from './import-format.ts';
import type { ImportSource } from './import-source.ts';
import { lost } from './losses.ts';
import { TraceCollector } from './trace-collector.ts';

/** A tool that was recorded at work, as the file has it. */
interface RecordedTool {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
  readonly answer: { readonly result: unknown } | { readonly error: { readonly message: string } };
  readonly startedAt: unknown;
  readonly endedAt: unknown;
}

/** A trial of a document that holds a conversation: its trace is built while the document is read. */
export class ChatTrial {
  readonly collector = new TraceCollector();
  readonly chat = new ChatTraceBuilder(this.collector);
  /** Where it stands, for losses. */
  readonly place: string;
  readonly #source: ImportSource;
  readonly #line: number;
  readonly #tools: (string | undefined)[] = [];

  /** `within` is the part of the place behind its line. */
  constructor(source: ImportSource, line: number, startedAt?: unknown, within = '') {
    this.#source = source;
    this.#line = line;
    this.place = `${source.placeOf(line)}${within}`;
    this.collector.setTime(startedAt);
  }

  /** Adds the messages of a list; `problemOf` words the problem of one that is not a message, by its number from 1. */
  addAll(messages: unknown, problemOf: (number: number) => string): void {
    this.chat.addAll(messages, this.place, (number) => this.#source.problem(this.#line, problemOf(number)));
  }

  addTool({ id, name, input, answer, startedAt, endedAt }: RecordedTool): void {
    const [callId, tool] = [nameOf(id) ?? 'unknown', wordsOf(name) ?? 'unknown'];
    if (tool === 'unknown') this.collector.lose(lost.call, 'a tool call has no name', callId);
    this.#tools.push(nameOf(name));
    this.collector.setTime(startedAt);
    this.collector.emit({ type: 'tool-call', callId, tool, input: input ?? {} });
    this.collector.setTime(endedAt);
    this.collector.emit({ type: 'tool-result', callId, durationMs: msBetween(startedAt, endedAt), ...answer });
  }

  /** A call that a model made is lost where no tool of that name was added for it. */
  expectTool(name: string, reason: string, place: string | undefined): void {
    const at = this.#tools.indexOf(name);
    if (at === -1) this.collector.lose(lost.call, reason, place);
    else this.#tools.splice(at, 1);
  }

  /** The trial, once everything was added; `fields` are what is recorded beside the trace. */
  finish(fields: Partial<Omit<ImportedTrial, 'line' | 'trace'>>): ImportedTrial {
    const { startedAt } = this.collector;
    const trace = this.collector.finish();
    return { line: this.#line, variant: {}, startedAt, verdict: undefined, ...fields, trace };
  }
}
