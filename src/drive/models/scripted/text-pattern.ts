import { RE2JS } from 're2js';

/** A condition on a text: gives the matched text and its groups, or undefined when it does not hold. */
export type TextPattern = (text: string) => readonly string[] | undefined;

/** An invalid pattern of a script. */
export class PatternDefect extends Error {}

const written = /^\/(.+)\/([dgimsuvy]*)$/s;
const flagBits: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Texts are always matched by code points.
  u: 0,
};

/** True for `/…/flags`, the form of a regular expression. */
export function isRegularExpression(text: string): boolean {
  return written.test(text);
}

/**
 * Compiles `/…/flags` to a regular expression, which runs in linear time; any other text must be contained. Throws a
 * `PatternDefect` for a regular expression that cannot be used.
 */
export function compileTextPattern(pattern: string): TextPattern {
  const [, body, flags = ''] = written.exec(pattern) ?? [];
  if (body === undefined) return (text) => (text.includes(pattern) ? [pattern] : undefined);
  const program = compileProgram(body, flags);
  return (text) => {
    const matcher = program.matcher(text);
    if (!matcher.find()) return undefined;
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
  };
}

function compileProgram(body: string, flags: string): RE2JS {
  const unknown = [...flags].find((flag) => flagBits[flag] === undefined);
  if (unknown) throw new PatternDefect(`the flag \`${unknown}\` is not supported; use i, m, s and u`);
  const bits = [...flags].reduce((all, flag) => all | (flagBits[flag] ?? 0), 0);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(body), bits);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    throw new PatternDefect(`the regular expression cannot be used: ${reason}`);
  }
}
