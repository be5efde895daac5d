import { closingQuote } from './json-measure.ts';

/** A part of a JSON document: an element of a list, or a member of the object that the document is. */
export interface ScannedPart {
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
  /** The member that it is, or of which it is an element; undefined in a document that is a list or one value. */
  readonly key: string | undefined;
  readonly isElement: boolean;
  /** Which document of the file it is in, from 1. */
  readonly document: number;
}

type Place = 'document' | 'list' | 'object' | 'member';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const newline = 0x0a;
const longestPart = 32 * 1_048_576;

/**
 * Splits a JSON document of any size while it is being read: a list into its elements, an
 * object into its members, and the named members into their elements; `a.b` names the member `b` of the member `a`.
 * Does not validate the parts.
 */
export class JsonScanner {
  readonly #splitKeys: ReadonlySet<string>;
  readonly #onPart: (part: ScannedPart) => void;
  readonly #onTooLong: (line: number) => void;
  #text = '';
  #at = 0;
  #line = 1;
  #places: Place[] = ['document'];
  #key: string | undefined;
  /** Of the member whose members are parts, with a dot. */
  #prefix = '';
  #document = 0;
  #part:
    | { start: number; line: number; depth: number; kind: 'nested' | 'string' | 'plain'; isKey: boolean }
    | undefined;
  #isInString = false;
  #isLeftOut = false;

  constructor(
    splitKeys: ReadonlySet<string>,
    onPart: (part: ScannedPart) => void,
    onTooLong: (line: number) => void = () => undefined,
  ) {
    this.#splitKeys = splitKeys;
    this.#onPart = onPart;
    this.#onTooLong = onTooLong;
  }

  push(chunk: string): void {
    this.#text += chunk;
    while (this.#at < this.#text.length) {
      if (this.#part) this.#goOn();
      else this.#look();
    }
    this.#forget();
  }

  /** The line at which the document ends early; undefined when it is complete. Must be called once, after the last chunk. */
  end(): number | undefined {
    if (this.#part?.kind === 'plain') this.#close(this.#at);
    return this.#part || this.#place !== 'document' ? (this.#part?.line ?? this.#line) : undefined;
  }

  get #place(): Place {
    return this.#places.at(-1) ?? 'document';
  }

  /** Between parts. */
  #look(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code === newline) this.#line++;
    if (code <= 0x20 || code === comma || code === colon || code === 0xfeff) this.#at++;
    else if (code === closeBracket || code === closeBrace) this.#leave();
    else this.#enter(code);
  }

  #leave(): void {
    this.#at++;
    if (this.#places.length > 1) this.#places.pop();
    if (this.#place === 'member') this.#places.pop();
    if (this.#places.length <= 2) this.#prefix = '';
  }

  #enter(code: number): void {
    const place = this.#place;
    if (place === 'document') {
      this.#document++;
      this.#key = undefined;
    }
    const within = this.#withinOf(place, code);
    if (within !== undefined) {
      if (within === 'object' && place === 'member') this.#prefix = `${this.#key}.`;
      this.#places.push(within);
      this.#at++;
      return;
    }
    const kind = code === openBracket || code === openBrace ? 'nested' : code === quote ? 'string' : 'plain';
    this.#part = { start: this.#at, line: this.#line, depth: 0, kind, isKey: place === 'object' };
    this.#isInString = false;
    if (kind === 'string') {
      this.#isInString = true;
      this.#at++;
    }
  }

  /** The place inside a value that is split further; undefined for a part. */
  #withinOf(place: Place, code: number): Place | undefined {
    if (place === 'document') return code === openBracket ? 'list' : code === openBrace ? 'object' : undefined;
    if (place !== 'member') return undefined;
    if (code === openBracket) return this.#splitKeys.has(this.#key ?? '') ? 'list' : undefined;
    const isOpened = code === openBrace && this.#prefix === '' && this.#splitsWithin(this.#key ?? '');
    return isOpened ? 'object' : undefined;
  }

  #splitsWithin(key: string): boolean {
    for (const splitKey of this.#splitKeys) if (splitKey.startsWith(`${key}.`)) return true;
    return false;
  }

  /** Inside a part. */
  #goOn(): void {
    const part = this.#part;
    if (!part) return;
    if (this.#isInString) this.#passString();
    else if (part.kind === 'plain') this.#passPlain();
    else this.#passNested(part);
    if (this.#part && this.#at - part.start > longestPart) this.#leaveOut(part);
  }

  #passString(): void {
    const end = closingQuote(this.#text, this.#at);
    const to = end === -1 ? this.#text.length : end;
    this.#countLines(this.#at, to);
    this.#at = end === -1 ? to : end + 1;
    if (end === -1) return;
    this.#isInString = false;
    if (this.#part?.kind === 'string') this.#close(this.#at);
  }

  #passPlain(): void {
    const code = this.#text.charCodeAt(this.#at);
    const isOver =
      code <= 0x20 || [comma, colon, closeBracket, closeBrace, openBracket, openBrace, quote].includes(code);
    if (isOver) this.#close(this.#at);
    else this.#at++;
  }

  #passNested(part: { depth: number }): void {
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at++);
      if (code === newline) this.#line++;
      else if (code === quote) {
        this.#isInString = true;
        return;
      } else if (code === openBrace || code === openBracket) part.depth++;
      else if ((code === closeBrace || code === closeBracket) && --part.depth === 0) {
        this.#close(this.#at);
        return;
      }
    }
  }

  #close(end: number): void {
    const part = this.#part;
    if (!part) return;
    const text = this.#text.slice(part.start, end);
    this.#part = undefined;
    const place = this.#place;
    if (part.isKey) {
      this.#key = this.#prefix + keyOf(text);
      this.#places.push('member');
      return;
    }
    const isElement = place === 'list';
    if (!this.#isLeftOut) {
      this.#onPart({ text, line: part.line, key: this.#key, isElement, document: this.#document });
    }
    this.#isLeftOut = false;
    if (place === 'member') this.#places.pop();
  }

  #leaveOut(part: { start: number; line: number }): void {
    if (!this.#isLeftOut) this.#onTooLong(part.line);
    this.#isLeftOut = true;
    // The last character is kept: it may escape the next one.
    part.start = this.#at - 1;
    this.#forget();
  }

  #forget(): void {
    const from = this.#part ? this.#part.start : this.#at;
    if (from === 0) return;
    this.#text = this.#text.slice(from);
    this.#at -= from;
    if (this.#part) this.#part.start = 0;
  }

  /** Damaged files may have line ends inside texts. */
  #countLines(from: number, to: number): void {
    const inside = this.#text.slice(from, to);
    if (inside.includes('\n')) this.#line += inside.split('\n').length - 1;
  }
}

function keyOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
