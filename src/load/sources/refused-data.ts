import { type FilePosition, formatPosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** Levels of nesting that a file may have: later code walks the data recursively. */
export const mostLevels = 200;

/** Message for a file with more levels. */
export const tooDeepMessage = `nested more than ${mostLevels} levels deep`;

/** Problem of a key that an object already has. */
export function duplicateKey(name: string, at: FilePosition, first: FilePosition): Problem {
  return { at, message: `duplicate key \`${name}\`: first at ${formatPosition(first)}` };
}

/** Refuses numbers that JSON cannot represent: a tool would be called with `null` instead. */
export function refuseInfiniteNumbers(source: ParsedSource): void {
  const problems = infiniteNumbers(source.value).map(
    (path): Problem => ({
      at: source.locate(path),
      message: 'the number is infinite or too large',
      hint: 'Put it in quotes if it is text.',
    }),
  );
  if (problems.length > 0) throw new ProblemsError(problems);
}

function infiniteNumbers(value: unknown): DataPath[] {
  const found: DataPath[] = [];
  const path: PropertyKey[] = [];
  const visit = (part: unknown): void => {
    if (typeof part === 'number' && !Number.isFinite(part)) found.push([...path]);
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
