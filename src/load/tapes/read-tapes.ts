import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { Tape } from '../../drive/tape/tool-tapes.ts';
import { readTape } from './read-tape.ts';

/** Reads all recordings of a folder; throws with everything that is wrong with any of them. */
export async function readTapes(directory: string, shownFolder: string): Promise<Tape[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.jsonl')).sort();
  const problems: Problem[] = [];
  const files = new Map<string, string>();
  const tapes: Tape[] = [];
  for (const name of names) {
    const file = join(shownFolder, name);
    try {
      const tape = readTape(file, await readFile(join(directory, name), 'utf8'));
      const key = JSON.stringify([tape.scenario, tape.case]);
      const other = files.get(key);
      if (other !== undefined)
        problems.push({ at: { file, line: 1, column: 1 }, message: `${other} is a recording of the same case` });
      files.set(key, file);
      tapes.push(tape);
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  return tapes;
}
