import { readFile } from 'node:fs/promises';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { refuseEndlessNumbers } from '../../sources/endless-numbers.ts';
import { parseJsonSource } from '../../sources/json-source.ts';
import { below } from '../../sources/parsed-source.ts';
import { decodeText } from '../../sources/source-file.ts';
import type { RawRow } from './raw-row.ts';

/** The rows of a JSON file that holds one array; large datasets are better kept as JSON Lines, which streams. */
export async function* readJsonRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  const source = parseJsonSource(file, decodeText(file, await readFile(path)));
  refuseEndlessNumbers(source);
  if (!Array.isArray(source.value))
    throw new ProblemsError([{ at: source.locate([]), message: 'the dataset must be a list of objects' }]);
  for (const [index, value] of source.value.entries() as IterableIterator<[number, unknown]>) {
    if (isRecord(value)) yield { value, source: () => below(source, [index]) };
    else yield { at: source.locate([index]), message: 'a row must be an object' };
  }
}
