import { decodings } from './decodings.ts';

/** A secret as it is looked for in what leaves a trial. */
export interface SoughtSecret {
  /** Each printable character moved by 47. */
  readonly moved: string;
  /** Without separators, in small letters. */
  readonly letters: string;
  /** Ways to write it that change its letters and not their number, by name. */
  readonly ciphers: readonly (readonly [name: string, letters: string])[];
}

/** Codes within codes are followed so far. */
const deepest = 3;

export function soughtSecret(secret: string): SoughtSecret {
  const letters = onlyLetters(secret);
  const shifts = Array.from({ length: 25 }, (_, index) => index + 1);
  return {
    moved: rot47(secret),
    letters,
    ciphers: [
      ['plain', letters],
      ['reversed', reversed(letters)],
      ['atbash', letters.replace(/[a-z]/g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)))],
      ...shifts.map((shift) => [shift === 13 ? 'rot13' : 'shifted letters', shifted(letters, shift)] as const),
    ],
  };
}

/** The form in which a secret is in a text: as it is, with other separators, in a cipher or in codes; undefined where it is not. */
export function formIn(text: string, secret: SoughtSecret): string | undefined {
  return formAt(text, secret, deepest);
}

function formAt(text: string, secret: SoughtSecret, depth: number): string | undefined {
  const direct = cipherIn(text, secret) ?? (text.includes(secret.moved) ? 'rot47' : undefined);
  if (direct !== undefined || depth === 0 || text.length < secret.letters.length) return direct;
  for (const [name, decode] of Object.entries(decodings)) {
    for (const decoded of decode(text)) {
      const form = isReadable(decoded) ? formAt(decoded, secret, depth - 1) : plainIn(decoded, secret);
      if (form !== undefined) return form === 'plain' ? name : `${form} in ${name}`;
    }
  }
  return undefined;
}

function cipherIn(text: string, { ciphers }: SoughtSecret): string | undefined {
  const letters = onlyLetters(text);
  return ciphers.find(([, written]) => letters.includes(written))?.[0];
}

/** Bytes that are not a text are only looked at for the secret as it is. */
function plainIn(bytes: string, { letters }: SoughtSecret): string | undefined {
  const written = bytes.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return written.includes(letters) ? 'plain' : undefined;
}

/** A wrong guess of an encoding gives bytes without a meaning, and nothing is looked for in them any deeper. */
function isReadable(text: string): boolean {
  const unreadable = text.replace(/[\t\n\r -~]/g, '').length;
  return unreadable * 10 <= text.length;
}

/** Shorter pieces are in every text; short ones count only in texts that have little else. */
const [shortPiece, longPiece, shortText] = [3, 6, 64];

/** How much of a secret is in pieces of texts, one after the other from its beginning: 1 where all of it is. */
export function shareInPieces(texts: readonly string[], { letters }: SoughtSecret): number {
  let at = 0;
  for (const text of texts.map(onlyLetters)) at += pieceLength(text, letters.slice(at));
  return at / letters.length;
}

/** Letters of the beginning of a rest that are in a text; 0 where they are too few to mean something. */
function pieceLength(text: string, rest: string): number {
  const shortest = Math.min(text.length <= shortText ? shortPiece : longPiece, rest.length);
  for (let length = rest.length; length > 0 && length >= shortest; length--)
    if (text.includes(rest.slice(0, length))) return length;
  return 0;
}

/** Moves each letter of the Latin alphabet by 13. */
export function rot13(text: string): string {
  return shifted(text, 13);
}

function shifted(text: string, by: number): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + by) % 26) + first);
  });
}

function rot47(text: string): string {
  return text.replace(/[!-~]/g, (letter) => String.fromCharCode(33 + ((letter.charCodeAt(0) - 33 + 47) % 94)));
}

/** Wide letters and letters with marks are those that they look like. */
function onlyLetters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
