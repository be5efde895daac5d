import { dirname } from 'node:path';
import { ProblemsError } from '../../domain/problem.ts';
import { problemsOf } from '../../scenarios/schema-problems.ts';
import { readSource } from '../../scenarios/source-file.ts';
import { type Script, scriptSchema } from './script.ts';

/** Reads the script of a scripted agent; everything that is wrong with it is told with its place. */
export async function loadScript(path: string): Promise<Script> {
  const source = await readSource(path, dirname(path));
  const parsed = scriptSchema.safeParse(source.value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf(parsed.error, source, scriptSchema));
}
