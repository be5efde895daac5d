/** Properties of a regular expression that determine the cost of running it. */
interface PatternShape {
  /** Number of atoms once counted repetitions are written out. */
  size: number;
  /**
   * Whether one short match may need a look at all of the text, which makes finding many quadratic.
   * It takes a choice (an alternative or a repeated group) with a part like `.*y`, which runs on in hope of its end.
   */
  rescans: boolean;
}

interface Part {
  size: number;
  /** An unbounded repetition stands in the current branch. */
  unbounded: boolean;
  /** Something follows an unbounded repetition in one branch. */
  waits: boolean;
}

/** Follows a pattern from left to right and measures its shape. */
class PatternOutline {
  readonly #outer: Part[] = [];
  #group: Part = createPart(0);
  #last: Part = createPart(0);
  #alternation = false;
  #waitsInsideRepeated = false;

  atom(): void {
    this.#last = createPart(1);
    this.#group.size += 1;
    this.#group.waits ||= this.#group.unbounded;
  }

  alternative(): void {
    this.#alternation = true;
    this.#group.unbounded = false;
  }

  open(): void {
    this.#group.waits ||= this.#group.unbounded;
    this.#outer.push(this.#group);
    this.#group = createPart(1);
  }

  close(): void {
    this.#last = this.#group;
    this.#group = this.#outer.pop() ?? createPart(0);
    this.#group.size += this.#last.size;
    this.#group.unbounded ||= this.#last.unbounded;
    this.#group.waits ||= this.#last.waits;
  }

  repeat(count: number, unbounded: boolean): void {
    this.#waitsInsideRepeated ||= this.#last.waits;
    this.#group.size += this.#last.size * (count - 1);
    this.#group.unbounded ||= unbounded;
    this.#last = { ...this.#last, size: this.#last.size * count };
  }

  shape(): PatternShape {
    const rescans = this.#waitsInsideRepeated || (this.#alternation && this.#group.waits);
    return { size: this.#group.size, rescans };
  }
}

function createPart(size: number): Part {
  return { size, unbounded: false, waits: false };
}

/** A JavaScript regular expression rewritten for a linear-time engine. */
interface TranslatedPattern extends PatternShape {
  text: string;
}

/** Thrown for a regular expression the language cannot honour; `offset` counts from the opening slash. */
export class PatternError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const whitespace = '\\t-\\r \\xA0\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const notWhitespace =
  '\\x00-\\x08\\x0E-\\x1F!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}' +
  '\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}';
const anyCharacter = '[\\x00-\\x{10FFFF}]';
const noCharacter = '[^\\x00-\\x{10FFFF}]';
const anyButLineEnd = '[^\\n\\r\\x{2028}\\x{2029}]';
const counted = /^\{(\d+)(?:(,)(\d*))?\}/;

interface Piece {
  text: string;
  length: number;
}

/**
 * Rewrites a JavaScript pattern to have the same meaning for the engine.
 * Text is matched by code points, as with the `u` flag, and with the `m` flag only a line feed ends a line.
 */
export function translatePattern(pattern: string, flags: string): TranslatedPattern {
  const outline = new PatternOutline();
  let text = '';
  for (let at = 0; at < pattern.length; ) {
    const piece = translatePiece(pattern.slice(at), flags, at + 1, outline);
    text += piece.text;
    at += piece.length;
  }
  return { text, ...outline.shape() };
}

function translatePiece(rest: string, flags: string, offset: number, outline: PatternOutline): Piece {
  const character = rest.charAt(0);
  const same = { text: character, length: 1 };
  switch (character) {
    case '(':
      outline.open();
      return translateGroupOpening(rest, offset);
    case ')':
      outline.close();
      return same;
    case '|':
      outline.alternative();
      return same;
    case '*':
    case '+':
      outline.repeat(1, true);
      return same;
    case '?':
      outline.repeat(1, false);
      return same;
    case '{':
      return translateCount(rest, outline) ?? same;
  }
  outline.atom();
  if (character === '\\') return translateEscape(rest, flags, false, offset);
  if (character === '[') return translateSet(rest, flags, offset);
  if (character === '.' && !flags.includes('s')) return { text: anyButLineEnd, length: 1 };
  return same;
}

function translateCount(rest: string, outline: PatternOutline): Piece | undefined {
  const count = counted.exec(rest);
  if (count === null) return undefined;
  const [text, low, comma, high] = count;
  outline.repeat(Math.max(1, Number(high || low)), comma !== undefined && high === '');
  return { text, length: text.length };
}

function translateGroupOpening(rest: string, offset: number): Piece {
  if (/^\(\?(=|!|<=|<!)/.test(rest)) {
    throw new PatternError('look-around is not part of the criteria language', offset);
  }
  if (rest.startsWith('(?<')) return { text: '(?P<', length: 3 };
  return { text: '(', length: 1 };
}

function translateSet(rest: string, flags: string, offset: number): Piece {
  if (rest.startsWith('[^]')) return { text: anyCharacter, length: 3 };
  if (rest.startsWith('[]')) return { text: noCharacter, length: 2 };
  let text = '[';
  let at = 1;
  while (at < rest.length && rest[at] !== ']') {
    if (rest[at] === '\\') {
      const escaped = translateEscape(rest.slice(at), flags, true, offset + at);
      text += escaped.text;
      at += escaped.length;
    } else {
      text += rest[at] === '[' ? '\\[' : rest[at];
      at += 1;
    }
  }
  return { text: `${text}]`, length: at + 1 };
}

const sharedEscapes = 'dDwWnrtvf';

function translateEscape(rest: string, flags: string, inSet: boolean, offset: number): Piece {
  const letter = rest.charAt(1);
  if (sharedEscapes.includes(letter)) return { text: `\\${letter}`, length: 2 };
  if (letter === 's') return { text: inSet ? whitespace : `[${whitespace}]`, length: 2 };
  if (letter === 'S') return { text: inSet ? notWhitespace : `[${notWhitespace}]`, length: 2 };
  if (letter === 'b' || letter === 'B') return { text: inSet ? '\\x08' : `\\${letter}`, length: 2 };
  if (/^\\0(?!\d)/.test(rest)) return { text: '\\x00', length: 2 };
  if (/^\\[\dk]/.test(rest)) throw new PatternError('a back-reference is not part of the criteria language', offset);
  return translateCodePoint(rest, flags, offset) ?? { text: literally(letter), length: 2 };
}

function translateCodePoint(rest: string, flags: string, offset: number): Piece | undefined {
  const control = /^\\c([A-Za-z])/.exec(rest);
  if (control) return { text: `\\x{${((control[1]?.charCodeAt(0) ?? 0) % 32).toString(16)}}`, length: 3 };
  const pair = /^\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(rest);
  if (pair) {
    const codePoint = String.fromCharCode(Number(`0x${pair[1]}`), Number(`0x${pair[2]}`)).codePointAt(0) ?? 0;
    return { text: `\\x{${codePoint.toString(16)}}`, length: pair[0].length };
  }
  const fixed = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(rest);
  if (fixed) return { text: `\\x{${fixed[1] ?? fixed[2]}}`, length: fixed[0].length };
  const braced = /^\\u\{([\da-fA-F]+)\}/.exec(rest);
  if (braced && !flags.includes('u')) throw new PatternError('`\\u{…}` needs the `u` flag', offset);
  if (braced) return { text: `\\x{${braced[1]}}`, length: braced[0].length };
  const property = flags.includes('u') ? /^\\([pP])\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}/.exec(rest) : null;
  return property === null ? undefined : { text: `\\${property[1]}{${property[2]}}`, length: property[0].length };
}

function literally(character: string): string {
  return /[\w\s]|[^\x00-\x7F]/.test(character) ? character : `\\${character}`;
}
