import { RE2JS } from 're2js';

/** Why a regular expression cannot be used, or not on a text of that length. */
export class UnusablePattern extends Error {}

/** A regular expression in the syntax of RE2, which matches in time linear in the text, whatever the pattern. */
export interface TextPattern {
  /** Whether it occurs anywhere in the text. */
  occursIn(text: string): boolean;
  /** Whether it is the whole of the text. */
  isAllOf(text: string): boolean;
  /** Steps that a look at one character may take. */
  readonly size: number;
}

/** About two seconds of the slowest matching; every ordinary pattern has room for many megabytes in it. */
const maxWork = 1_000_000_000;
const escapes = /\\(?:u\{([\dA-Fa-f]{1,6})\}|u([\dA-Fa-f]{4})|.)/gs;

/** Compiles a pattern as users of RE2, Rust and Go write it, or throws an `UnusablePattern`. */
export function compileTextPattern(pattern: string): TextPattern {
  const program = compileProgram(pattern);
  const size = program.programSize();
  const affordable = (text: string): string => {
    if (text.length * size <= maxWork) return text;
    throw new UnusablePattern(`it is too large for a text of ${text.length} characters`);
  };
  return {
    occursIn: (text) => program.test(affordable(text)),
    isAllOf: (text) => program.testExact(affordable(text)),
    size,
  };
}

/** Says why a pattern cannot be used; undefined for one that can. */
export function problemOfPattern(pattern: string): string | undefined {
  try {
    compileTextPattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof UnusablePattern) return error.message;
    throw error;
  }
}

function compileProgram(pattern: string): RE2JS {
  try {
    return RE2JS.compile(withCodePoints(pattern));
  } catch (error) {
    throw new UnusablePattern(reasonOf(error));
  }
}

/** `\u00e9` and `\u{e9}` are common elsewhere; the engine only knows `\x{e9}`. */
function withCodePoints(pattern: string): string {
  return pattern.replace(escapes, (whole, braced?: string, plain?: string) => {
    const codePoint = braced ?? plain;
    return codePoint === undefined ? whole : `\\x{${codePoint}}`;
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
}
