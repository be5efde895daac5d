import type { EmitTrace } from '../../domain/trace.ts';
import type { AgentExit, AgentReport, AgentStream } from './agent.ts';
import { concludeAgent } from './conclude.ts';

const blockCharacters = 8_192;
const stderrTailCharacters = 2_000;

/** Reads output without a known structure: all of it is kept as output, in order. */
export function openTextStream(emit: EmitTrace): AgentStream {
  return new TextStream(emit);
}

class TextStream implements AgentStream {
  readonly #emit: EmitTrace;
  #channel: 'stdout' | 'stderr' = 'stdout';
  #block = '';
  #hasPrinted = false;
  #stderrTail = '';

  constructor(emit: EmitTrace) {
    this.#emit = emit;
  }

  line(text: string): void {
    this.#hasPrinted ||= text.trim() !== '';
    this.#keep('stdout', text);
  }

  errorLine(text: string): void {
    this.#stderrTail = `${this.#stderrTail}${text}\n`.slice(-stderrTailCharacters);
    this.#keep('stderr', text);
  }

  finish(exit: AgentExit): AgentReport {
    this.#flush();
    return concludeAgent({ exit, sawWork: this.#hasPrinted, stderrTail: this.#stderrTail.trim() });
  }

  #keep(channel: 'stdout' | 'stderr', text: string): void {
    if (channel !== this.#channel || this.#block.length > blockCharacters) this.#flush();
    this.#channel = channel;
    this.#block += `${text}\n`;
  }

  #flush(): void {
    const text = this.#block;
    this.#block = '';
    if (text === '') return;
    this.#emit({ type: 'output', channel: this.#channel, text, truncatedBytes: 0, seenBy: 'agent' });
  }
}
