/**
 * The longest run of rows of a YAML text: items of one list, each an object on a line, in a plain way of writing that
 * means the same everywhere. The parser of whole documents takes a hundred times as long for them. All that is unusual
 * (tags, anchors, escapes, comments, numbers in other notations) makes a line no row.
 */
export interface YamlRows {
  readonly values: readonly unknown[];
  /** Where the object of each row begins in the text. */
  readonly starts: readonly number[];
  /** Where the first item begins, with its dash, and where the last one ends. */
  readonly from: number;
  readonly to: number;
}

/** For fewer the parser is quick enough. */
const fewestRows = 200;

/** The longest run of rows, if it is long; rows of one run have the same indentation. */
export function findRows(text: string): YamlRows | undefined {
  // Aliases may stand for parts with rows; other characters may end lines for the parser.
  if (text.length < 10 * fewestRows || /[^\n -~\u00a0-\u2027\u202a-\ufefe]|(?:^|[\s,[{])\*\S/.test(text))
    return undefined;
  let best: RowRun | undefined;
  let run: RowRun | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const dash = dashIn(text, start, end);
    const value = dash === undefined ? undefined : new RowReader(text, dash + 2, end).row();
    if (dash === undefined || value === undefined) run = undefined;
    else if (run && run.indent === dash - start) run.add(value, dash + 2, end);
    else run = new RowRun(value, dash, dash - start, end);
    if (run && run.values.length > (best?.values.length ?? 0)) best = run;
    start = end + 1;
  }
  return best && best.values.length >= fewestRows ? best : undefined;
}

class RowRun implements YamlRows {
  readonly values: unknown[] = [];
  readonly starts: number[] = [];
  readonly from: number;
  readonly indent: number;
  to = 0;

  constructor(value: unknown, dash: number, indent: number, end: number) {
    this.from = dash;
    this.indent = indent;
    this.add(value, dash + 2, end);
  }

  add(value: unknown, start: number, end: number): void {
    this.values.push(value);
    this.starts.push(start);
    this.to = end;
  }
}

/** Where the dash of an item that is an object stands in a line. */
function dashIn(text: string, start: number, end: number): number | undefined {
  let at = start;
  while (text.charCodeAt(at) === 0x20) at++;
  return at < end && text.startsWith('- {', at) && text.charCodeAt(end - 1) === 0x7d ? at : undefined;
}

const mostLevels = 20;
const number = /(?:-?[1-9][0-9]{0,14}|0)(?:\.[0-9]{1,15})?(?= ?[,}\]])/y;
const plainKey = /[A-Za-z_][A-Za-z0-9_-]{0,99}(?=: )/y;
const plainText = /[A-Za-z_](?:[A-Za-z0-9_./-]| (?=[A-Za-z0-9_./]))*(?= ?[,}\]])/y;
const quoted = /"([^"\\]*)"(?!")|'([^']*)'(?!')/y;

/** Texts without quotes that are no texts. */
const words = new Map<string, unknown>([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);

/** Thrown where a line is not written in the plain way. */
const unusual = new Error('not a row');

/** Reads the object of one line. */
class RowReader {
  readonly #text: string;
  readonly #end: number;
  #at: number;
  #level = 0;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#at = start;
    this.#end = end;
  }

  /** Undefined where the line is not a row. */
  row(): unknown {
    try {
      const value = this.#object();
      return this.#at === this.#end ? value : undefined;
    } catch (error) {
      if (error === unusual) return undefined;
      throw error;
    }
  }

  #value(): unknown {
    const first = this.#text[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#list();
    const string = this.#match(quoted);
    if (string) return string[1] ?? string[2];
    const digits = this.#match(number);
    if (digits) return Number(digits[0]);
    const [text] = this.#match(plainText) ?? refused();
    return words.has(text) ? words.get(text) : text;
  }

  #object(): unknown {
    const object: Record<string, unknown> = {};
    this.#items('}', () => {
      const key = this.#key();
      if (key in object || words.has(key)) refused();
      object[key] = this.#value();
    });
    return object;
  }

  #list(): unknown {
    const list: unknown[] = [];
    this.#items(']', () => list.push(this.#value()));
    return list;
  }

  /** Items between brackets, with at most one space on either side of each. */
  #items(close: string, read: () => void): void {
    if (++this.#level > mostLevels) refused();
    this.#at++;
    this.#space();
    if (this.#text[this.#at] !== close) {
      do {
        this.#space();
        read();
        this.#space();
      } while (this.#take(','));
    }
    if (!this.#take(close)) refused();
    this.#level--;
  }

  #key(): string {
    const [key] = this.#match(plainKey) ?? refused();
    this.#at += 2;
    return key;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found || pattern.lastIndex > this.#end) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    if (this.#text[this.#at] === ' ') this.#at++;
  }
}

function refused(): never {
  throw unusual;
}
