/**
 * A text as programs write it: cut by line breaks and colours, and a value also with characters escaped or in another case.
 * A search that follows such writings needs no list of them.
 */

/** Longer values, such as keys with many lines, are found as they are and cut, but not escaped character by character. */
export const longestFreeValue = 512;
/** An escape such as `\u0041` has so many characters. */
const longestEscape = 6;
/** Line breaks and colours inside of one value. */
const mostCuts = 96;

/** The most characters that a text can take; a stream holds back so many. */
export function longestWriting({ length }: string, isFree: boolean): number {
  return length * (isFree ? longestEscape : 1) + mostCuts;
}

/** A word in another case is a word, so only values that are none are found in any case. */
function hasAnyCase(value: string): boolean {
  return /\d/.test(value) || value.length >= 16;
}

/** How many characters of a text are a writing of what is sought, from a place on; 0 where none begins there. */
export function writtenLength(text: string, index: number, sought: string, isFree: boolean): number {
  if (text.startsWith(sought, index)) return sought.length;
  const limit = index + longestWriting(sought, isFree);
  const folds = isFree && hasAnyCase(sought);
  let at = index;
  for (let place = 0; place < sought.length; place++) {
    if (text.charCodeAt(at) === sought.charCodeAt(place)) {
      at++;
      continue;
    }
    if (place > 0) at += cutLength(text, at);
    const wanted = sought.charAt(place);
    const length = isFree ? freeLength(text, at, wanted, folds) : Number(text.charAt(at) === wanted);
    if (length === 0 || at + length > limit) return 0;
    at += length;
  }
  return at - index;
}

const cut =
  /(?:\r?\n[ \t]*|(?:\\+r)?\\+n[ \t]*|(?:\u001B|\\+u001[Bb]|\\+x1[Bb])\[[0-9;]{0,16}[A-Za-z]|[\u00AD\u200B])+/y;

function cutLength(text: string, at: number): number {
  cut.lastIndex = at;
  return cut.exec(text)?.[0].length ?? 0;
}

const escaped = /(?:%|\\{1,4}x)([0-9A-Fa-f]{2})|\\{1,4}u([0-9A-Fa-f]{4})|&#(\d{1,5});|&#[xX]([0-9A-Fa-f]{1,4});/y;

function freeLength(text: string, at: number, wanted: string, folds: boolean): number {
  const character = text.charAt(at);
  if (character === wanted || (folds && character.toLowerCase() === wanted.toLowerCase())) return 1;
  if (character !== '%' && character !== '\\' && character !== '&') return 0;
  escaped.lastIndex = at;
  const found = escaped.exec(text);
  if (!found) return 0;
  const [all, byte, unit, decimal, hex] = found;
  const code = decimal === undefined ? Number.parseInt(byte ?? unit ?? hex ?? '', 16) : Number(decimal);
  return String.fromCharCode(code) === wanted ? all.length : 0;
}

/** Three characters with which a writing of a value can begin, where it does not begin as the value does. */
export function freeStarts(value: string): string[] {
  const [first = '', second = '', third = ''] = value;
  const hex = first.charCodeAt(0).toString(16).padStart(2, '0');
  const escapes = [
    `%${hex}`,
    `%${hex.toUpperCase()}`,
    '\\u0',
    '\\\\u',
    `\\x${hex.charAt(0)}`,
    '&#x',
    `&#${String(first.charCodeAt(0)).charAt(0)}`,
  ];
  const afterFirst = ['%', '\\', '&'].flatMap((sign) => secondSigns(sign, second).map((next) => first + sign + next));
  const afterSecond = ['%', '\\', '&', '\n', '\r', '\u001B'].map((sign) => first + second + sign);
  const cuts = [`\n${second}`, '\n ', '\n\t', '\r\n', '\u001B['].map((rest) => first + rest);
  return [
    ...escapes,
    ...afterFirst,
    ...afterSecond,
    ...cuts,
    ...(hasAnyCase(value) ? casesOf(first, second, third) : []),
  ];
}

function secondSigns(sign: string, second: string): string[] {
  if (sign === '&') return ['#'];
  return sign === '\\' ? ['u', 'x', 'n', 'r', '\\'] : [second.charCodeAt(0).toString(16).charAt(0)];
}

function casesOf(...characters: readonly string[]): string[] {
  return characters.reduce<string[]>(
    (starts, character) =>
      starts.flatMap((start) => [start + character.toLowerCase(), start + character.toUpperCase()]),
    [''],
  );
}
