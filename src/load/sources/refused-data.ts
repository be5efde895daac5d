import { type FilePosition, formatPosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { shorten } from '../../shared/text.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** Levels of nesting that a file may have: later code walks the data recursively. */
export const mostLevels = 200;

/** Message for a file with more levels. */
export const tooDeepMessage = `nested more than ${mostLevels} levels deep`;

/** Problem of a key that an object already has. */
export function duplicateKey(name: string, at: FilePosition, first: FilePosition): Problem {
  return { at, message: `duplicate key \`${name}\`: first at ${formatPosition(first)}` };
}

/** Refuses numbers that would not be what is written: a tool would be called with another one, or with `null`. */
export function refuseInexactNumbers(source: ParsedSource, text: string, firstLine = 1): void {
  const problems = unsafeNumbers(source.value).flatMap(({ path, value }): Problem[] => {
    const at = source.locate(path);
    const hint = 'Put it in quotes; it is then the same as a number with these digits in a result.';
    if (!Number.isFinite(value))
      return [{ at, message: 'the number is infinite or too large', hint: 'Put it in quotes if it is text.' }];
    const digits = digitsAt(text, { ...at, line: at.line - firstLine + 1 });
    // Programs write a number with the fewest digits by which it is the same number again.
    if (digits === undefined || digits === String(value) || BigInt(digits) === BigInt(value)) return [];
    return [{ at, message: `the number ${shorten(digits, 40)} has more digits than can be kept`, hint }];
  });
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** The integer that is written at a place; undefined for a number in another form. */
function digitsAt(text: string, { line, column }: FilePosition): string | undefined {
  const written = text.split('\n')[line - 1]?.slice(column - 1) ?? '';
  return /^-?\d+(?![\d.eE_])/.exec(written)?.[0];
}

function unsafeNumbers(value: unknown): { readonly path: DataPath; readonly value: number }[] {
  const found: { path: DataPath; value: number }[] = [];
  const path: PropertyKey[] = [];
  const visit = (part: unknown): void => {
    if (typeof part === 'number' && isUnsafe(part)) found.push({ path: [...path], value: part });
    if (typeof part !== 'object' || part === null) return;
    const isList = Array.isArray(part);
    for (const key of Object.keys(part)) {
      path.push(isList ? Number(key) : key);
      visit((part as Readonly<Record<string, unknown>>)[key]);
      path.pop();
    }
  };
  visit(value);
  return found;
}

function isUnsafe(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}
