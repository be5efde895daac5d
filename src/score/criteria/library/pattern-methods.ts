import { type Run, spendSize } from '../budget.ts';
import { toNumber, toText } from '../values.ts';
import { findMatches, matchesPattern, type Pattern, type PatternMatch } from './pattern.ts';
import { replaceMatches } from './string-methods.ts';

/** A method that applies a regular expression to a text. */
type PatternMethod = (text: string, pattern: Pattern, args: readonly unknown[], run: Run) => unknown;

/** The methods that apply a regular expression to a text. */
export const patternMethods: ReadonlyMap<string, PatternMethod> = new Map<string, PatternMethod>([
  ['test', (text, pattern, _args, run) => matchesPattern(pattern, text, run)],
  ['search', (text, pattern, _args, run) => findMatches(pattern, text, false, run)[0]?.start ?? -1],
  ['match', match],
  [
    'matchAll',
    (text, pattern, _args, run) => findMatches(pattern, text, true, run).map((found) => asArray(found, run)),
  ],
  ['replace', replace],
  ['replaceAll', replace],
  ['split', split],
]);

function match(text: string, pattern: Pattern, _args: readonly unknown[], run: Run): unknown[] | null {
  const matches = findMatches(pattern, text, pattern.global, run);
  const [first] = matches;
  if (first === undefined) return null;
  if (!pattern.global) return asArray(first, run);
  return matches.map((found) => asArray(found, run)[0]);
}

/** A match as JavaScript shows it: an array of texts that also says where it was found. */
function asArray({ texts, names, start }: PatternMatch, run: Run): unknown[] {
  spendSize(
    run,
    texts.reduce((size, text) => size + 1 + (text?.length ?? 0), 0),
  );
  return Object.assign([...texts], { index: start, groups: names });
}

function replace(text: string, pattern: Pattern, args: readonly unknown[], run: Run): string {
  return replaceMatches(text, findMatches(pattern, text, pattern.global, run), toText(args[0], run), run);
}

function split(text: string, pattern: Pattern, args: readonly unknown[], run: Run): unknown[] {
  const limit = args[0] === undefined ? 2 ** 32 - 1 : toNumber(args[0], run) >>> 0;
  const matches = findMatches(pattern, text, true, run);
  if (text === '') return matches.length > 0 || limit === 0 ? [] : [text];
  const parts: unknown[] = [];
  let copied = 0;
  for (const { start, end, texts } of matches) {
    if (start >= text.length) break;
    if (end === copied) continue;
    parts.push(text.slice(copied, start), ...texts.slice(1));
    copied = end;
  }
  parts.push(text.slice(copied));
  spendSize(run, parts.length);
  return parts.slice(0, limit);
}
