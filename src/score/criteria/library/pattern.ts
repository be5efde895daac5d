import { RE2JS } from 're2js';
import { type Run, spendSteps } from '../budget.ts';
import { PatternError, translatePattern } from './pattern-dialect.ts';

/** Declared here, since users of our types do not have the package of the engine. */
interface PatternProgram {
  test(text: string): boolean;
  matcher(text: string): PatternMatcher;
  namedGroups(): Record<string, number>;
}

interface PatternMatcher {
  find(): boolean;
  start(): number;
  end(): number;
  groupCount(): number;
  group(index: number): string | null;
}

/** A compiled regular expression; matching takes time linear in the text, whatever the pattern. */
export interface Pattern {
  /** As written, with slashes and flags. */
  readonly source: string;
  readonly global: boolean;
  readonly program: PatternProgram;
  readonly programSize: number;
  readonly rescans: boolean;
}

/** One match: offsets in the text and what its groups caught. */
export interface PatternMatch {
  start: number;
  end: number;
  /** The whole match first, then each group; undefined for a group that took no part. */
  texts: (string | undefined)[];
  names: Record<string, string | undefined> | undefined;
}

const maxPatternSize = 2_000;
const honouredFlags = 'gimsu';

/** Compiles a regular expression literal, or throws a `PatternError`. */
export function compilePattern(body: string, flags: string): Pattern {
  const source = `/${body}/${flags}`;
  for (const flag of flags) {
    if (!honouredFlags.includes(flag)) {
      throw new PatternError(`the regular expression flag \`${flag}\` is not part of the criteria language`, 0);
    }
  }
  const { text, size, rescans } = translatePattern(body, flags);
  if (size > maxPatternSize) throw new PatternError('the regular expression is too large', 0);
  const program = compileProgram(text, engineFlags(flags));
  return { source, global: flags.includes('g'), program, programSize: program.programSize(), rescans };
}

function engineFlags(flags: string): number {
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  return bits;
}

function compileProgram(text: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(text, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    throw new PatternError(`the regular expression cannot be used: ${reason}`, 0);
  }
}

/** Whether the pattern occurs in the text. */
export function matchesPattern(pattern: Pattern, text: string, run: Run): boolean {
  spendSteps(run, 1 + (text.length * (2.5 + pattern.programSize)) / 80);
  return pattern.program.test(text);
}

/** Finds the first match, or all of them on request. */
export function findMatches(pattern: Pattern, text: string, all: boolean, run: Run): PatternMatch[] {
  if (!matchesPattern(pattern, text, run)) return [];
  const costPerCharacter = (3 + pattern.programSize) / 6;
  spendSteps(run, text.length * costPerCharacter);
  const matcher = pattern.program.matcher(text);
  const groupCount = matcher.groupCount();
  const groupNames = Object.entries(pattern.program.namedGroups());
  const matches: PatternMatch[] = [];
  while (matcher.find()) {
    const texts: (string | undefined)[] = [];
    for (let group = 0; group <= groupCount; group++) texts.push(matcher.group(group) ?? undefined);
    const names = groupNames.length === 0 ? undefined : namedTexts(groupNames, texts);
    const match = { start: matcher.start(), end: matcher.end(), texts, names };
    matches.push(match);
    if (!all) break;
    const rescanned = pattern.rescans ? text.length - match.end : 0;
    spendSteps(run, 16 + 4 * groupCount + rescanned * costPerCharacter);
  }
  return matches;
}

function namedTexts(groupNames: [string, number][], texts: (string | undefined)[]): PatternMatch['names'] {
  const names: Record<string, string | undefined> = {};
  for (const [name, group] of groupNames) names[name] = texts[group];
  return names;
}
