/** A piece of an XML document. */
export type XmlPiece =
  | {
      readonly type: 'open';
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly isClosed: boolean;
      readonly line: number;
    }
  | { readonly type: 'close'; readonly name: string; readonly line: number }
  | { readonly type: 'text'; readonly text: string; readonly line: number };

const longestPiece = 1_048_576;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Splits XML while it is being read. Supports only the entities of XML itself, and never fetches anything. */
export class XmlScanner {
  #text = '';
  #line = 1;

  /** The pieces that are complete with this text. */
  *push(chunk: string): Generator<XmlPiece, void> {
    this.#text += chunk;
    for (let piece = this.#next(); piece !== 'more'; piece = this.#next()) if (piece) yield piece;
  }

  /** The rest of the text after the last piece, with its line. */
  end(): { readonly text: string; readonly line: number } {
    return { text: this.#text, line: this.#line };
  }

  #next(): XmlPiece | undefined | 'more' {
    if (this.#text === '') return 'more';
    if (!this.#text.startsWith('<')) return this.#takeText();
    for (const [begin, end] of [
      ['<!--', '-->'],
      ['<![CDATA[', ']]>'],
      ['<?', '?>'],
    ] as const) {
      if (this.#text.startsWith(begin)) return this.#takeMarked(begin, end);
      if (begin.startsWith(this.#text)) return 'more';
    }
    return this.#takeTag();
  }

  #takeText(): XmlPiece | 'more' {
    const end = this.#text.indexOf('<');
    if (end === -1 && this.#text.length < longestPiece) return 'more';
    const { taken, line } = this.#take(end === -1 ? this.#text.length : end);
    return { type: 'text', text: unescaped(taken), line };
  }

  #takeMarked(begin: string, end: string): XmlPiece | undefined | 'more' {
    const at = this.#text.indexOf(end, begin.length);
    if (at === -1) return this.#moreOrGiveUp();
    const { taken, line } = this.#take(at + end.length);
    return begin === '<![CDATA[' ? { type: 'text', text: taken.slice(begin.length, -end.length), line } : undefined;
  }

  #takeTag(): XmlPiece | undefined | 'more' {
    const end = tagEnd(this.#text);
    if (end === -1) return this.#moreOrGiveUp();
    const { taken, line } = this.#take(end + 1);
    const [, closing, name] = /^<(\/?)([^\s/>]+)/.exec(taken) ?? [];
    if (name === undefined || name.startsWith('!')) return undefined;
    if (closing) return { type: 'close', name, line };
    return { type: 'open', name, attributes: attributesIn(taken), isClosed: taken.endsWith('/>'), line };
  }

  /** Skips an endless part before it fills the memory. */
  #moreOrGiveUp(): undefined | 'more' {
    if (this.#text.length < 8 * longestPiece) return 'more';
    this.#take(this.#text.length);
    return undefined;
  }

  #take(length: number): { readonly taken: string; readonly line: number } {
    const taken = this.#text.slice(0, length);
    const { length: lines } = taken.split('\n');
    const line = this.#line;
    this.#text = this.#text.slice(length);
    this.#line += lines - 1;
    return { taken, line };
  }
}

/** A `>` inside a value does not end a tag. */
function tagEnd(text: string): number {
  let quote = '';
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

function attributesIn(tag: string): Record<string, string> {
  const found = [...tag.matchAll(/([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return Object.fromEntries(found.map(([, name = '', double, single]) => [name, unescaped(double ?? single ?? '')]));
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi,
    (whole, hex, decimal, name: string | undefined) => {
      if (name !== undefined) return named[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}
