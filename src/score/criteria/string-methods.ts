import { type Run, spendScan, spendSize } from './budget.ts';
import { type CallSite, refuseCall } from './obstacle.ts';
import { findPlainMatches, replaceMatches } from './text-replace.ts';
import { findLastText, findText } from './text-search.ts';
import { joinTwo, toNumber, toText } from './values.ts';

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
  if (!normalForms.includes(form)) refuseCall(site, `${form} is no normal form`);
  return copied(text, run).normalize(form);
}

/** The locale is fixed, so that an answer does not depend on the machine. */
function localeCompare(text: string, args: readonly unknown[], run: Run): number {
  const other = toText(args[0], run);
  spendScan(run, 8 * (text.length + other.length));
  return text.localeCompare(other, 'en');
}
