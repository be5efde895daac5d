/** Texts that a text stands for in some encoding. */
type Decoding = (text: string) => readonly string[];

/** Runs that are decoded; a longer text is looked at in pieces by its caller. */
const mostRuns = 50;

function runsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].slice(0, mostRuns).map(([run]) => run);
}

/** Rare encodings are looked for in so much of a run: what passes on a network is searched while it passes. */
const longestRare = 4_096;

function bytesText(bytes: readonly number[]): string {
  let text = '';
  for (let begin = 0; begin < bytes.length; begin += longestRare)
    text += String.fromCharCode(...bytes.slice(begin, begin + longestRare).map((byte) => byte & 0xff));
  return text;
}

/** Codes of single characters: `%51`, `=51`, `&#81;`, `&#x51;`, `\x51`, `\u0051`, `\121`, `U+0051`. */
function escapes(text: string): string[] {
  const decoded = text
    .replace(/%([0-9a-f]{2})/gi, (_, code) => character(code, 16))
    .replace(/=([0-9A-F]{2})/g, (_, code) => character(code, 16))
    .replace(/=\r?\n/g, '')
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, code) => character(code, 16))
    .replace(/&#(\d{1,7});?/g, (_, code) => character(code, 10))
    .replace(/\\+u\{?([0-9a-f]{4,6})\}?/gi, (_, code) => character(code, 16))
    .replace(/U\+([0-9a-f]{4,6})\s?/gi, (_, code) => character(code, 16))
    .replace(/\\+x([0-9a-f]{2})/gi, (_, code) => character(code, 16))
    .replace(/\\+([0-3]?[0-7]{2})/g, (_, code) => character(code, 8));
  return decoded === text ? [] : [decoded];
}

function character(code: string, base: number): string {
  const point = Number.parseInt(code, base);
  return point > 0x10_ffff ? '' : String.fromCodePoint(point);
}

/** Bits of each letter of an alphabet, put together to bytes. */
function inAlphabet(alphabet: Alphabet, bits: number, run: string): string {
  const bytes: number[] = [];
  let [value, held] = [0, 0];
  for (let at = 0; at < run.length; at++) {
    const index = alphabet[run.charCodeAt(at)];
    if (index === undefined) continue;
    value = ((value << bits) | index) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes.push((value >> held) & 0xff);
  }
  return bytesText(bytes);
}

/** Values of letters by their codes. */
type Alphabet = readonly (number | undefined)[];

function alphabetOf(letters: string): Alphabet {
  const values: (number | undefined)[] = [];
  for (const [value, letter] of [...letters].entries()) values[letter.charCodeAt(0)] = value;
  return values;
}

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const letters64 = alphabetOf(`${capitals}${capitals.toLowerCase()}0123456789+/`);

/** Letters before a code may shift it, so each beginning is tried. */
function base64(text: string): string[] {
  const dense = text
    .replace(/[\s"'\\]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return runsOf(dense, /[A-Za-z0-9+/]{12,}/g).flatMap((run) =>
    [0, 1, 2, 3].map((shift) => inAlphabet(letters64, 6, run.slice(shift))),
  );
}

const letters32 = [alphabetOf(`${capitals}234567`), alphabetOf('0123456789ABCDEFGHIJKLMNOPQRSTUV')] as const;

function base32(text: string): string[] {
  const dense = text.replace(/[\s"'\\-]/g, '');
  const shifts = [0, 1, 2, 3, 4, 5, 6, 7];
  return runsOf(dense, /[A-Z0-9]{16,}|[a-z0-9]{16,}/g).flatMap((run) => {
    const capital = run.slice(0, longestRare).toUpperCase();
    return shifts.flatMap((shift) => letters32.map((alphabet) => inAlphabet(alphabet, 5, capital.slice(shift))));
  });
}

const letters58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(text: string): string[] {
  return runsOf(text, /[1-9A-HJ-NP-Za-km-z]{16,400}/g).map((run) => {
    let value = 0n;
    for (const letter of run) value = value * 58n + BigInt(letters58.indexOf(letter));
    const hex = value.toString(16);
    return pairs(hex.length % 2 === 0 ? hex : `0${hex}`, 0);
  });
}

function pairs(hex: string, begin: number): string {
  return bytesText((hex.slice(begin).match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

/** Digits of bytes with anything between them that is not one, in both orders of the bytes of a word. */
function hex(text: string): string[] {
  const plain = text.replace(/0x|\\x/gi, ' ');
  return runsOf(plain, /(?:[0-9a-f]{2}[\s:;,.|_-]*){8,}/gi).flatMap((run) => {
    const digits = run.replace(/[^0-9a-f]/gi, '');
    return [
      pairs(digits, 0),
      pairs(digits, 1),
      pairs(digits.slice(0, longestRare), 0).replace(/([\s\S])([\s\S])/g, '$2$1'),
    ];
  });
}

/** A dump has the place of each line before it, and may have the characters after it. */
function dump(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => /^(?:.*[^0-9a-z])?[0-9a-f]{6,8}:?\s+(.*)$/i.exec(line)?.[1]);
  const rows = lines.filter((line) => line !== undefined);
  if (rows.length === 0) return [];
  const columns = rows.map((row) => row.split(/\s{2,}[|>]?|\s{2,}(?=\S+$)/)[0] ?? row);
  const octal = columns.join(' ').match(/\b[01][0-7]{5}\b/g) ?? [];
  const words = octal.flatMap((word) => [Number.parseInt(word, 8) & 0xff, Number.parseInt(word, 8) >> 8]);
  return [rows.join(''), columns.join(''), columns.join(' '), bytesText(words)];
}

/** Numbers of characters: decimal, octal and binary. */
function numbers(whole: string): string[] {
  const text = whole.slice(0, 4 * longestRare);
  const groups = [
    ...runsOf(text, /(?:\b\d{2,3}\b[^\w]*){8,}/g).map((run) => ({ run, base: 10 })),
    ...runsOf(text, /(?:\b0?[0-7]{2,3}\b[^\w]*){8,}/g).map((run) => ({ run, base: 8 })),
    ...runsOf(text, /(?:\b[01]{7,8}\b[^\w]*){8,}/g).map((run) => ({ run, base: 2 })),
  ];
  const dense = runsOf(text, /[01]{64,}/g).map((run) =>
    bytesText((run.match(/.{8}/g) ?? []).map((bits) => Number.parseInt(bits, 2))),
  );
  const spaced = groups.map(({ run, base }) =>
    bytesText((run.match(/\d+/g) ?? []).map((digits) => Number.parseInt(digits, base))),
  );
  return [...spaced, ...dense];
}

/** Five letters stand for four bytes: as Adobe and as RFC 1924 write them. */
function base85(text: string): string[] {
  const other = `0123456789${capitals}${capitals.toLowerCase()}!#$%&()*+-;<=>?@^_\`{|}~`;
  const framed = /<~([\s\S]*?)~>/.exec(text)?.[1];
  const runs = [
    ...(framed === undefined ? [] : [framed.replace(/\s/g, '')]),
    ...runsOf(text, /[!-~]{15,4096}/g).filter((run) => /[^\w+/=.-]/.test(run)),
  ];
  return runs.flatMap((run) => [
    ofFive(run, (letter) => letter.charCodeAt(0) - 33),
    ofFive(run, (letter) => other.indexOf(letter)),
  ]);
}

function ofFive(run: string, numberOf: (letter: string) => number): string {
  const bytes = (run.match(/.{1,5}/g) ?? []).flatMap((group) => {
    let value = 0;
    for (let index = 0; index < 5; index++)
      value = value * 85 + (index < group.length ? numberOf(group.charAt(index)) : 84);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) & 0xff).slice(0, group.length - 1);
  });
  return bytesText(bytes);
}

const lettersUu = alphabetOf(Array.from({ length: 64 }, (_, index) => String.fromCharCode(index + 32)).join(''));

function uuencoded(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => /^[!-M][ -`]{4,}$/.test(line));
  if (lines.length === 0) return [];
  return [lines.map((line) => inAlphabet(lettersUu, 6, line.slice(1).replaceAll('`', ' '))).join('')];
}

const morseLetters =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split(
    ' ',
  );
const morseDigits = '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'.split(' ');

function morse(text: string): string[] {
  return runsOf(text.slice(0, 4 * longestRare), /(?:[.-]{1,5}[\s/|]+){8,}[.-]{1,5}/g).map((run) =>
    run
      .split(/[\s/|]+/)
      .map((code) => {
        const letter = morseLetters.indexOf(code);
        return letter < 0 ? String(Math.max(0, morseDigits.indexOf(code))) : capitals.charAt(letter);
      })
      .join(''),
  );
}

/** All names are those that a report gives to a leak in this form. */
export const decodings: Readonly<Record<string, Decoding>> = {
  escaped: escapes,
  dump,
  hex,
  base64,
  base32,
  'character codes': numbers,
  base58,
  base85,
  uuencode: uuencoded,
  morse,
};

/** Beginnings of data that holds other data which cannot be searched: compressed, encrypted or archived. */
const closed = /^(?:\x1F\x8B|BZh|\xFD7zXZ|PK\x03\x04|\x28\xB5\x2F\xFD|Salted__|7z\xBC\xAF|Rar!)/;

/** Whether a text holds data that cannot be searched, as it is or in an encoding. */
export function holdsClosedData(text: string): boolean {
  if (/-----BEGIN PGP MESSAGE-----|age-encryption\.org/.test(text) || closed.test(text)) return true;
  return [...base64(text), ...hex(text)].some((decoded) => closed.test(decoded));
}
