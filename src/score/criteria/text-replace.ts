import { type Run, spendSize, spendSteps } from './budget.ts';
import type { PatternMatch } from './pattern.ts';
import { findText } from './text-search.ts';

/** Finds a plain text the way a pattern is found, so that both can be replaced by the same code. */
export function findPlainMatches(text: string, needle: string, all: boolean, run: Run): PatternMatch[] {
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
