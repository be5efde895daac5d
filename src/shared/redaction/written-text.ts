/**
 * A text as programs write it: cut by line breaks, colours and signs that cannot be seen, and a value also with characters
 * escaped or in another case. A search that follows such writings needs no list of them.
 */

/** How far the writing of a text may differ from it: `free` for a value, whose characters may be escaped, `hex` for bytes. */
export type Freedom = 'as it is' | 'free' | 'hex';

/** Longer values, such as keys with many lines, are found as they are and cut, but not escaped character by character. */
export const longestFreeValue = 512;
/** An escape such as `&#00065;` or `%252541` has so many characters. */
const longestEscape = 12;
/** Line breaks and colours inside of one value. */
const mostCuts = 128;

/** The most characters that a text can take; a stream holds back so many. */
export function longestWriting({ length }: string, freedom: Freedom): number {
  if (freedom === 'as it is') return length + mostCuts;
  return length * (freedom === 'free' ? longestEscape : 3) + mostCuts;
}

/** A word in another case is a word, so only values that are none are found in any case. */
function hasAnyCase(value: string): boolean {
  return /\d/.test(value) || value.length >= 16;
}

/** How many characters of a text are a writing of what is sought, from a place on; 0 where none begins there. */
export function writtenLength(text: string, index: number, sought: string, freedom: Freedom): number {
  if (text.startsWith(sought, index)) return sought.length;
  return new Match(text, index, sought, freedom).length;
}

/** Steps for each character: a text of backslashes can be read in more ways than there is time for. */
const mostSteps = 40;

/** One attempt to read a text at a place: a sign that begins escapes may be itself, and a cut may be part of the value. */
class Match {
  readonly #text: string;
  readonly #sought: string;
  readonly #freedom: Freedom;
  readonly #index: number;
  readonly #limit: number;
  readonly #folds: boolean;
  #steps: number;

  constructor(text: string, index: number, sought: string, freedom: Freedom) {
    this.#text = text;
    this.#index = index;
    this.#sought = sought;
    this.#freedom = freedom;
    this.#limit = index + longestWriting(sought, freedom);
    this.#folds = freedom === 'free' && hasAnyCase(sought);
    this.#steps = mostSteps * sought.length;
  }

  get length(): number {
    return Math.max(0, this.#endFrom(this.#index, 0) - this.#index);
  }

  /** Where the rest of what is sought ends; -1 where it is not there. */
  #endFrom(start: number, begin: number): number {
    let at = start;
    for (let place = begin; place < this.#sought.length; place++) {
      if (this.#steps-- === 0 || at >= this.#limit) return -1;
      const wanted = this.#sought.charAt(place);
      const [first, ...others] = this.#stepsTo(at, wanted, place);
      if (first === undefined) return -1;
      if (others.length > 0) {
        const ends = [first, ...others].map((next) => this.#endFrom(next, place + 1));
        return Math.max(...ends);
      }
      at = first;
    }
    return at <= this.#limit ? at : -1;
  }

  /** The places behind each writing of a character that stands here, or behind a cut. */
  #stepsTo(at: number, wanted: string, place: number): number[] {
    const here = this.#writingsAt(at, wanted);
    const mayBeCut = place > 0 && (here.length === 0 || escapeSigns.includes(wanted));
    const behind = mayBeCut ? at + cutLength(this.#text, at, this.#freedom === 'hex' && place % 2 === 0) : at;
    return behind === at ? here : [...here, ...this.#writingsAt(behind, wanted)];
  }

  #writingsAt(at: number, wanted: string): number[] {
    const character = this.#text.charAt(at);
    const plain = isSame(character, wanted, this.#folds) ? [at + 1] : [];
    if (this.#freedom !== 'free' || !escapeSigns.includes(character)) return plain;
    const escapes = escapesAt(this.#text, at).filter((each) => isSame(each.character, wanted, this.#folds));
    return [...plain, ...escapes.map(({ length }) => at + length)];
  }
}

/** Ends of lines, also soft and continued ones, colours and links of terminals, and signs without width. */
const cut = new RegExp(
  [
    String.raw`=?\r?\n[ \t]*`,
    String.raw`(?:\\+r)?\\+n[ \t]*`,
    String.raw`\\\r?\n[ \t]*`,
    String.raw`(?:\u001B|\\+u001[Bb]|\\+x1[Bb])(?:\[[0-9;:]{0,16}[A-Za-z]|\][^\u0007\n]{0,64}?(?:\u0007|\\+u0007|\u001B\\))`,
    '[\u0000\u00AD\u200B-\u200D\u2060\uFEFF]',
    String.raw`\\+(?:u(?:0000|00[aA][dD]|200[b-dB-D]|2060|[fF][eE][fF][fF])|x00)`,
  ]
    .map((one) => `(?:${one})`)
    .join('|')
    .replace(/^/, '(?:')
    .replace(/$/, ')+'),
  'y',
);
/** Between two bytes. */
const hexCut = /(?:[\s:,;-]|\\+[nrt])*(?:0[xX])?/y;

function cutLength(text: string, at: number, isBetweenBytes: boolean): number {
  const pattern = isBetweenBytes ? hexCut : cut;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

const escaped = new RegExp(
  [
    String.raw`(?:\\{1,4}x|=)([0-9A-Fa-f]{2})`,
    String.raw`\\{1,4}u([0-9A-Fa-f]{4})`,
    String.raw`\\{1,4}u\{([0-9A-Fa-f]{1,6})\}`,
    '&(?:amp;)*#[xX]([0-9A-Fa-f]{1,6});',
    String.raw`&(?:amp;)*#(\d{1,7});`,
    String.raw`\\{1,4}([0-3][0-7]{2})`,
    '&(?:amp;)*([A-Za-z]{2,6});',
    String.raw`\\{1,7}([^A-Za-z0-9\s])`,
  ].join('|'),
  'y',
);
const percent = /%((?:25){0,3})([0-9A-Fa-f]{2})?/y;
const bases = [16, 16, 16, 16, 10, 8];
/** Entities of HTML that stand for signs of secrets. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", plus: '+', sol: '/', equals: '=', num: '#', percnt: '%' },
  ...{ dollar: '$', excl: '!', ast: '*', comma: ',', period: '.', colon: ':', semi: ';', quest: '?', commat: '@' },
  ...{ lpar: '(', rpar: ')', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', lcub: '{', lbrace: '{', rcub: '}' },
  ...{ rbrace: '}', bsol: '\\', Hat: '^', lowbar: '_', grave: '`', verbar: '|', vert: '|', tilde: '~', hyphen: '-' },
};
const escapeSigns = '%\\&=';

/** A character as it is escaped, and the length of its escape. */
interface Escape {
  readonly character: string;
  readonly length: number;
}

/** The escapes that begin at a place; of percent signs, which are escaped themselves, there may be several. */
export function escapesAt(text: string, at: number): Escape[] {
  if (text.charAt(at) === '%') return percentAt(text, at);
  escaped.lastIndex = at;
  const found = escaped.exec(text);
  if (!found) return [];
  const [all, ...groups] = found;
  return [{ character: characterOf(groups), length: all.length }];
}

function percentAt(text: string, at: number): Escape[] {
  percent.lastIndex = at;
  const [all = '', signs = '', digits] = percent.exec(text) ?? [];
  const own =
    digits === undefined ? [] : [{ character: String.fromCharCode(Number.parseInt(digits, 16)), length: all.length }];
  const ofSigns = Array.from({ length: signs.length / 2 }, (_, index) => ({ character: '%', length: 3 + 2 * index }));
  return [...own, ...ofSigns];
}

function characterOf(groups: readonly (string | undefined)[]): string {
  const which = groups.findIndex((group) => group !== undefined);
  const group = groups[which] ?? '';
  const base = bases[which];
  if (base !== undefined) return String.fromCharCode(Number.parseInt(group, base));
  return which === bases.length ? (entities[group] ?? '') : group;
}

function isSame(character: string, wanted: string, folds: boolean): boolean {
  return character === wanted || (folds && character.toLowerCase() === wanted.toLowerCase());
}

/** Signs behind a character with which an escape or a cut begins. */
const signsBehind = [
  ...escapeSigns,
  ...['\n', '\r', '\u001B', '\u0000', '\u00AD', '\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF'],
];

/** Whether an escape may begin here; the value that begins with it is found by its character. */
export function beginsEscape(code: number): boolean {
  return code === 0x25 || code === 0x5c || code === 0x26 || code === 0x3d;
}

/** The characters that a value can begin with, where the first one is escaped. */
export function firstCharacters(value: string): string[] {
  const [first = ''] = value;
  return hasAnyCase(value) ? casesOf(first) : [first];
}

/** The beginnings of a text, of two and of three characters, where it begins neither as it is nor with an escape. */
export function otherStarts(sought: string, freedom: Freedom): string[] {
  const [first = '', second = '', third = ''] = sought;
  if (freedom === 'as it is') return [];
  if (freedom === 'hex') return [...':, \n-;\\\r\t'].map((sign) => first + second + sign);
  const firsts = firstCharacters(sought);
  const seconds = hasAnyCase(sought) ? casesOf(second) : [second];
  const plain = hasAnyCase(sought) ? casesOf(first, second, third) : [];
  const cutOff = firsts.flatMap((one) => signsBehind.map((sign) => one + sign));
  const cutLater = firsts.flatMap((one) => seconds.flatMap((two) => signsBehind.map((sign) => one + two + sign)));
  return [...plain, ...cutOff, ...cutLater];
}

function casesOf(...characters: readonly string[]): string[] {
  return characters.reduce<string[]>(
    (starts, character) =>
      starts.flatMap((start) => [...new Set([start + character.toLowerCase(), start + character.toUpperCase()])]),
    [''],
  );
}
