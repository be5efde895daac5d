import { parse, TomlError } from 'smol-toml';
import { ProblemsError } from '../../domain/problem.ts';
import { type DataPath, LineIndex, type ParsedSource } from './parsed-source.ts';

/** Where a key and its value begin. */
interface Mention {
  readonly key: number;
  readonly value: number;
}

const name = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const dotted = String.raw`${name}(?:[ \t]*\.[ \t]*${name})*`;
const header = new RegExp(String.raw`^[ \t]*\[\[?[ \t]*(${dotted})[ \t]*\]`);
const assignment = new RegExp(String.raw`^[ \t]*(${dotted})[ \t]*=[ \t]*`);

/** Positions of tables and keys in a TOML file, which its parser does not report. */
class TomlPositions {
  readonly #text: string;
  readonly #mentions = new Map<string, Mention>();

  constructor(text: string) {
    this.#text = text;
    let table: readonly string[] = [];
    let offset = 0;
    let quote: string | undefined;
    for (const line of text.split('\n')) {
      if (quote === undefined) table = this.#readLine(line, offset, table);
      quote = quoteAfter(line, quote);
      offset += line.length + 1;
    }
  }

  /** Position of the value at a path, or of the nearest table around it. */
  find(path: DataPath): Mention {
    const steps = path.filter((step) => typeof step === 'string');
    for (let length = steps.length; length > 0; length--) {
      const mention = this.#mentions.get(keyOf(steps.slice(0, length)));
      if (mention) return this.#insideLine(mention, steps.slice(length));
    }
    return { key: 0, value: 0 };
  }

  #readLine(line: string, offset: number, table: readonly string[]): readonly string[] {
    const opened = header.exec(line)?.[1];
    const assigned = assignment.exec(line);
    const start = offset + line.search(/[^\s[]/);
    if (opened !== undefined) {
      this.#add([], opened, start, undefined);
      return namesIn(opened).map(({ text }) => text);
    }
    if (assigned) this.#add(table, assigned[1] ?? '', start, offset + assigned[0].length);
    return table;
  }

  /** Each part of a dotted key gets its own position; without a value, that of the key. */
  #add(table: readonly string[], written: string, start: number, value: number | undefined): void {
    const path = [...table];
    for (const { text, at } of namesIn(written)) {
      path.push(text);
      const place = keyOf(path);
      const key = start + at;
      if (!this.#mentions.has(place)) this.#mentions.set(place, { key, value: value ?? key });
    }
  }

  /** Keys of a table that is written in one line. */
  #insideLine(mention: Mention, [step, ...rest]: readonly string[]): Mention {
    if (step === undefined) return mention;
    const end = this.#text.indexOf('\n', mention.value);
    const line = this.#text.slice(mention.value, end === -1 ? undefined : end);
    const escaped = step.replace(/[^\w]/g, '\\$&');
    const match = new RegExp(`(?<=[{,]\\s*)(["']?)${escaped}\\1\\s*=\\s*`).exec(line);
    if (!match || mention.key === mention.value) return mention;
    const key = mention.value + match.index;
    return this.#insideLine({ key, value: key + match[0].length }, rest);
  }
}

function namesIn(written: string): { readonly text: string; readonly at: number }[] {
  return [...written.matchAll(new RegExp(name, 'g'))].map(({ 0: spelt, index }) => ({
    text: /^["']/.test(spelt) ? spelt.slice(1, -1) : spelt,
    at: index,
  }));
}

/** The kind of quotes of a text over several lines that is still open at the end of a line. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open;
  for (const [found] of line.matchAll(/"""|'''/g)) {
    if (quote === undefined) quote = found;
    else if (quote === found) quote = undefined;
  }
  return quote;
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Parses TOML. */
export function parseTomlSource(file: string, text: string): ParsedSource {
  const value = parseToml(file, text);
  const lines = new LineIndex(text);
  const positions = new TomlPositions(text);
  return {
    file,
    value,
    locate: (path) => lines.position(file, positions.find(path).value),
    locateKey: (path, key) => lines.position(file, positions.find([...path, key]).key),
    locateInString: (path) => lines.position(file, positions.find(path).value),
  };
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    const reason = first.replace('Invalid TOML document: ', '');
    throw new ProblemsError([
      {
        at: { file, line: error.line, column: error.column },
        message: wordsFor[reason] ?? `invalid TOML: ${reason}`,
      },
    ]);
  }
}

const wordsFor: Readonly<Record<string, string>> = {
  'document contains excessively nested structures. aborting.': 'nested too deeply',
  'invalid value': 'invalid value: put text in quotes',
  'trying to redefine an already defined table or value': 'duplicate key or table',
  'control characters are not allowed in strings': 'the quote before this is not closed on the same line',
  'illegal character in key': 'a `=` is missing after the key, or the key needs quotes',
  'unexpected end of key': 'a key is missing before `=`',
  'expected comma or end of structure': 'a `,` or a closing bracket is missing before this',
};
