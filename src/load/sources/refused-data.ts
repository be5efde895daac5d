import { type FilePosition, formatPosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** How many levels of lists and objects a file may have; what reads the data later goes down level by level. */
export const mostLevels = 200;

/** What is said of a file with more levels. */
export const tooDeepMessage = `this is nested more than ${mostLevels} levels deep`;

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

/** The problem of a key that an object has already. */
export function repeatedKey(name: string, at: FilePosition, first: FilePosition): Problem {
  return { at, message: `the key \`${name}\` is there twice: first at ${formatPosition(first)}` };
}

/** Refuses numbers that JSON cannot carry to a tool: it would be called with `null` instead. */
export function refuseEndlessNumbers(source: ParsedSource): void {
  const problems = endlessNumbers(source.value, []).map(
    (path): Problem => ({
      at: source.locate(path),
      message: 'this number is not finite, or too large to be one',
      hint: 'Put it in quotes if it is meant as text.',
    }),
  );
  if (problems.length > 0) throw new ProblemsError(problems);
}

function endlessNumbers(value: unknown, path: DataPath): DataPath[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => endlessNumbers(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => endlessNumbers(part, [...path, key]));
}
