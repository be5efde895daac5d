import type { EmitTrace } from '../../../domain/trace.ts';
import type { AgentExit, AgentReport, AgentStream, NoteUsage, OpenAgentStream } from '../agent.ts';
import { detectFormat, streamFormats } from '../stream-formats.ts';

/** An agent that has not given itself away by then prints text. */
const mostUndecidedLines = 20;

/** Finds out from the first lines how the rest is to be read. */
export function openAutoStream(emit: EmitTrace, noteUsage?: NoteUsage): AgentStream & { readonly turnsBegun: number } {
  return new AutoStream(emit, noteUsage);
}

class AutoStream implements AgentStream {
  readonly #emit: EmitTrace;
  readonly #noteUsage: NoteUsage | undefined;
  readonly #undecided: { readonly channel: 'line' | 'errorLine'; readonly text: string }[] = [];
  #stream: (AgentStream & { readonly turnsBegun?: number }) | undefined;

  constructor(emit: EmitTrace, noteUsage: NoteUsage | undefined) {
    this.#emit = emit;
    this.#noteUsage = noteUsage;
  }

  get turnsBegun(): number {
    return this.#stream?.turnsBegun ?? 0;
  }

  line(text: string): void {
    this.#take('line', text);
  }

  errorLine(text: string): void {
    this.#take('errorLine', text);
  }

  finish(exit: AgentExit): AgentReport {
    return this.#decide('text').finish(exit);
  }

  #take(channel: 'line' | 'errorLine', text: string): void {
    if (this.#stream !== undefined) this.#stream[channel](text);
    else this.#wonder(channel, text);
  }

  #wonder(channel: 'line' | 'errorLine', text: string): void {
    this.#undecided.push({ channel, text });
    const format = channel === 'line' ? detectFormat([text]) : undefined;
    if (format !== undefined) this.#decide(format);
    else if (this.#undecided.length >= mostUndecidedLines) this.#decide('text');
  }

  #decide(format: keyof typeof streamFormats): AgentStream {
    if (this.#stream !== undefined) return this.#stream;
    const open: OpenAgentStream = streamFormats[format];
    this.#stream = open(this.#emit, this.#noteUsage);
    for (const { channel, text } of this.#undecided.splice(0)) this.#stream[channel](text);
    return this.#stream;
  }
}
