import { type FilePosition, formatPosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** Levels of nesting that a file may have: later code walks the data recursively. */
export const mostLevels = 200;

/** Message for a file with more levels. */
export const tooDeepMessage = `nested more than ${mostLevels} levels deep`;

/** Whether a text has enough opening brackets to be nested too deeply. */
export function mayBeTooDeep(text: string): boolean {
  let found = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++found > mostLevels) return true;
    }
  }
  return false;
}

/** Problem of a key that an object already has. */
export function duplicateKey(name: string, at: FilePosition, first: FilePosition): Problem {
  return { at, message: `duplicate key \`${name}\`: first at ${formatPosition(first)}` };
}

/** Refuses numbers that JSON cannot represent: a tool would be called with `null` instead. */
export function refuseInfiniteNumbers(source: ParsedSource): void {
  const problems = infiniteNumbers(source.value, []).map(
    (path): Problem => ({
      at: source.locate(path),
      message: 'the number is infinite or too large',
      hint: 'Put it in quotes if it is text.',
    }),
  );
  if (problems.length > 0) throw new ProblemsError(problems);
}

function infiniteNumbers(value: unknown, path: DataPath): DataPath[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => infiniteNumbers(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => infiniteNumbers(part, [...path, key]));
}
