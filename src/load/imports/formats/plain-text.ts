import type { ImportFormat } from '../import-format.ts';
import { TraceCollector } from '../trace-collector.ts';

const blockCharacters = 8_192;
const speaker = /^(user|human|assistant|agent|ai|system|tool)(?: \([^)]{0,80}\))?:\s*(.*)$/i;
const roles: ReadonlyMap<string, 'user' | 'assistant' | 'system'> = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['agent', 'assistant'],
  ['ai', 'assistant'],
  ['system', 'system'],
]);

/** A transcript without structure: its commands are found when it is evaluated. */
export const plainText: ImportFormat = {
  name: 'text',
  summary: 'plain transcripts with lines such as `User:` and `Tool: bash`',
  reports: [],
  recognises: ({ text, fileName, isEmpty, isBinary }) =>
    !isEmpty && !isBinary && !/^\s*[[{<]/.test(text) && !/\.csv$/i.test(fileName),
  async *read(source) {
    const collector = new TraceCollector();
    const blocks = new TextBlocks(collector);
    let firstLine: number | undefined;
    for await (const { text, number } of source.lines()) {
      firstLine ??= text.trim() === '' ? undefined : number;
      blocks.add(text);
    }
    blocks.flush();
    if (firstLine === undefined) return;
    yield { line: firstLine, caseId: 'task', variant: {}, trace: collector.finish(), verdict: undefined };
  },
};

/** Lines grouped by speaker; lines without a speaker are output. */
class TextBlocks {
  readonly #collector: TraceCollector;
  #role: 'user' | 'assistant' | 'system' | undefined;
  #text = '';

  constructor(collector: TraceCollector) {
    this.#collector = collector;
  }

  add(line: string): void {
    const [, who, text] = speaker.exec(line) ?? [];
    if (who === undefined) {
      if (this.#text.length > blockCharacters && this.#role === undefined) this.flush();
      this.#text += `${line}\n`;
      return;
    }
    this.flush();
    this.#role = roles.get(who.toLowerCase());
    // The name of a tool is part of the output.
    if (this.#role === undefined) this.#text = `${line}\n`;
    else if (text) this.#text = `${text}\n`;
  }

  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text.trim() === '') return;
    if (this.#role === undefined) this.#collector.emit({ type: 'output', channel: 'stdout', text, truncatedBytes: 0 });
    else this.#collector.emit({ type: 'message', role: this.#role, text: text.trim() });
  }
}
