import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

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
