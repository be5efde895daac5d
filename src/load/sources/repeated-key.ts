import { type FilePosition, formatPosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';

/** The problem of a key that an object has already. */
export function repeatedKey(name: string, at: FilePosition, first: FilePosition): Problem {
  return { at, message: `the key \`${name}\` is there twice: first at ${formatPosition(first)}` };
}
