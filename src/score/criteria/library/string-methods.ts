import { type Run, spendScan, spendSize, spendSteps } from '../budget.ts';
import { type CallSite, refuseCall } from '../criterion-error.ts';
import { joinTwo, toNumber, toText } from '../values.ts';
import type { PatternMatch } from './pattern.ts';

const nativeSearchLimit = 1_000_000;

/** Finds a text in another from an offset, as `indexOf` does, in time that is linear even for hostile pairs. */
function findText(text: string, needle: string, from: number, run: Run): number {
  spendScan(run, Math.max(0, text.length - from));
  if ((text.length - from) * needle.length <= nativeSearchLimit) return text.indexOf(needle, from);
  return findLongText(text, needle, from, run);
}

/** The search of Knuth, Morris and Pratt. */
function findLongText(text: string, needle: string, from: number, run: Run): number {
  spendSteps(run, (text.length - from + needle.length) >> 5);
  const borders = borderLengths(needle);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched += 1;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

function borderLengths(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Finds the last occurrence, as `lastIndexOf` does; it pays for the worst case, which is quadratic. */
function findLastText(text: string, needle: string, from: number, run: Run): number {
  spendSteps(run, 1 + (text.length * (8 + needle.length)) / 512);
  return text.lastIndexOf(needle, from);
}

/** Finds a plain text the way a pattern is found; the same code can then replace both. */
function findPlainMatches(text: string, needle: string, all: boolean, run: Run): PatternMatch[] {
  const matches: PatternMatch[] = [];
  let start = findText(text, needle, 0, run);
  while (start !== -1) {
    spendSteps(run, 2);
    matches.push({ start, end: start + needle.length, texts: [needle], names: undefined });
    const next = start + Math.max(1, needle.length);
    if (!all || next > text.length) break;
    start = findNext(text, needle, next, run);
  }
  return matches;
}

/** Native search from an offset pays only for what it passes over, since the first search paid for the whole text. */
function findNext(text: string, needle: string, from: number, run: Run): number {
  return needle.length <= 64 ? text.indexOf(needle, from) : findText(text, needle, from, run);
}

/** Puts a replacement in the place of each match, expanding `$&`, `$1` and the rest as JavaScript does. */
export function replaceMatches(text: string, matches: PatternMatch[], replacement: string, run: Run): string {
  let replaced = '';
  let copied = 0;
  const append = (part: string): void => {
    spendSize(run, part.length);
    replaced += part;
  };
  for (const match of matches) {
    append(text.slice(copied, match.start));
    expandReplacement(text, match, replacement, append, run);
    copied = match.end;
  }
  append(text.slice(copied));
  return replaced;
}

const reference = /\$(?:\$|&|`|'|\d{1,2}|<[^>]*>)/g;

function expandReplacement(
  text: string,
  match: PatternMatch,
  replacement: string,
  append: (part: string) => void,
  run: Run,
): void {
  let copied = 0;
  spendSteps(run, 4 + (replacement.length >> 2));
  for (const found of replacement.matchAll(reference)) {
    append(replacement.slice(copied, found.index));
    append(expandReference(text, match, found[0]));
    copied = found.index + found[0].length;
  }
  append(replacement.slice(copied));
}

function expandReference(text: string, match: PatternMatch, written: string): string {
  switch (written.charAt(1)) {
    case '$':
      return '$';
    case '&':
      return match.texts[0] ?? '';
    case '`':
      return text.slice(0, match.start);
    case "'":
      return text.slice(match.end);
    case '<':
      return match.names === undefined ? written : (match.names[written.slice(2, -1)] ?? '');
    default:
      return expandGroup(match.texts, written);
  }
}

/** Two digits name a group only when there is one of that number; otherwise the second digit is plain text. */
function expandGroup(texts: (string | undefined)[], written: string): string {
  const both = Number(written.slice(1));
  if (both >= 1 && both < texts.length) return texts[both] ?? '';
  const first = Number(written.charAt(1));
  return first >= 1 && first < texts.length ? (texts[first] ?? '') + written.slice(2) : written;
}

/** A method of strings: what it is called on, its arguments, and whom to pay. */
type StringMethod = (text: string, args: readonly unknown[], run: Run, site: CallSite) => unknown;

const normalForms = ['NFC', 'NFD', 'NFKC', 'NFKD'];

/** The methods strings have. */
export const stringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ['includes', (text, args, run) => findText(text, toText(args[0], run), position(text, args[1], 0, run), run) !== -1],
  ['indexOf', (text, args, run) => findText(text, toText(args[0], run), position(text, args[1], 0, run), run)],
  ['lastIndexOf', (text, args, run) => findLastText(text, toText(args[0], run), lastPosition(args[1], run), run)],
  ['startsWith', (text, args, run) => text.startsWith(scanned(args[0], run), optionalNumber(args[1], run))],
  ['endsWith', (text, args, run) => text.endsWith(scanned(args[0], run), optionalNumber(args[1], run))],
  ['slice', (text, args, run) => made(text.slice(optionalNumber(args[0], run), optionalNumber(args[1], run)), run)],
  ['substring', (text, args, run) => made(text.substring(toNumber(args[0], run), optionalNumber(args[1], run)), run)],
  ['at', (text, args, run) => text.at(toNumber(args[0], run))],
  ['charAt', (text, args, run) => text.charAt(toNumber(args[0], run))],
  ['charCodeAt', (text, args, run) => text.charCodeAt(toNumber(args[0], run))],
  ['codePointAt', (text, args, run) => text.codePointAt(toNumber(args[0], run))],
  ['toLowerCase', (text, _args, run) => copied(text, run).toLowerCase()],
  ['toUpperCase', (text, _args, run) => copied(text, run).toUpperCase()],
  ['trim', (text, _args, run) => copied(text, run).trim()],
  ['trimStart', (text, _args, run) => copied(text, run).trimStart()],
  ['trimEnd', (text, _args, run) => copied(text, run).trimEnd()],
  ['padStart', (text, args, run) => text.padStart(paddedLength(text, args[0], run), padding(args[1], run))],
  ['padEnd', (text, args, run) => text.padEnd(paddedLength(text, args[0], run), padding(args[1], run))],
  ['repeat', repeat],
  ['concat', (text, args, run) => args.reduce<string>((whole, arg) => joinTwo(whole, toText(arg, run), run), text)],
  ['split', split],
  ['replace', (text, args, run) => replacePlain(text, args, false, run)],
  ['replaceAll', (text, args, run) => replacePlain(text, args, true, run)],
  ['normalize', normalize],
  ['localeCompare', localeCompare],
  ['toString', (text) => text],
]);

function optionalNumber(value: unknown, run: Run): number | undefined {
  return value === undefined ? undefined : toNumber(value, run);
}

function position(text: string, value: unknown, fallback: number, run: Run): number {
  const wanted = value === undefined ? fallback : Math.trunc(toNumber(value, run)) || 0;
  return Math.min(Math.max(wanted, 0), text.length);
}

function lastPosition(value: unknown, run: Run): number {
  return value === undefined ? Number.POSITIVE_INFINITY : toNumber(value, run);
}

function scanned(value: unknown, run: Run): string {
  const text = toText(value, run);
  spendScan(run, text.length);
  return text;
}

function made(text: string, run: Run): string {
  spendSize(run, text.length);
  return text;
}

function copied(text: string, run: Run): string {
  spendScan(run, text.length);
  return made(text, run);
}

function paddedLength(text: string, value: unknown, run: Run): number {
  const length = toNumber(value, run);
  spendSize(run, Math.max(text.length, length || 0));
  return length;
}

function padding(value: unknown, run: Run): string | undefined {
  return value === undefined ? undefined : toText(value, run);
}

function repeat(text: string, args: readonly unknown[], run: Run, site: CallSite): string {
  const count = Math.trunc(toNumber(args[0], run)) || 0;
  if (count < 0 || count === Number.POSITIVE_INFINITY) refuseCall(site, `a text cannot be repeated ${count} times`);
  spendSize(run, text.length * count);
  return text.repeat(count);
}

function split(text: string, args: readonly unknown[], run: Run): string[] {
  const limit = args[1] === undefined ? 2 ** 32 - 1 : toNumber(args[1], run) >>> 0;
  if (args[0] === undefined) return limit === 0 ? [] : [text];
  const separator = toText(args[0], run);
  if (separator === '') {
    spendScan(run, text.length);
    spendSize(run, Math.min(text.length, limit));
    return text.split('', limit);
  }
  const parts: string[] = [];
  let copiedTo = 0;
  for (const match of findPlainMatches(text, separator, true, run)) {
    parts.push(text.slice(copiedTo, match.start));
    copiedTo = match.end;
  }
  parts.push(text.slice(copiedTo));
  spendSize(run, parts.length);
  return parts.slice(0, limit);
}

function replacePlain(text: string, args: readonly unknown[], all: boolean, run: Run): string {
  const matches = findPlainMatches(text, toText(args[0], run), all, run);
  return replaceMatches(text, matches, toText(args[1], run), run);
}

function normalize(text: string, args: readonly unknown[], run: Run, site: CallSite): string {
  const form = args[0] === undefined ? 'NFC' : toText(args[0], run);
  if (!normalForms.includes(form)) refuseCall(site, `${form} is not a normal form`);
  return copied(text, run).normalize(form);
}

/** The locale is fixed to make answers independent of the machine. */
function localeCompare(text: string, args: readonly unknown[], run: Run): number {
  const other = toText(args[0], run);
  spendScan(run, 8 * (text.length + other.length));
  return text.localeCompare(other, 'en');
}
