import { readFile } from 'node:fs/promises';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { linesByChunk } from '../../../shared/text.ts';
import { isSuspicious } from '../../sources/json-measure.ts';
import { parseJsonSource } from '../../sources/json-source.ts';
import { below } from '../../sources/parsed-source.ts';
import { refuseInexactNumbers } from '../../sources/refused-data.ts';
import { decodeText } from '../../sources/source-file.ts';
import { decodedText, type RawRow } from './raw-row.ts';

/** The rows of a JSON file with one array; unlike JSON Lines it is not streamed. */
export async function* readJsonRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  const text = decodeText(file, await readFile(path));
  const source = parseJsonSource(file, text);
  refuseInexactNumbers(source, text);
  if (!Array.isArray(source.value))
    throw new ProblemsError([{ at: source.locate([]), message: 'the dataset must be a list of objects' }]);
  for (const [index, value] of source.value.entries() as IterableIterator<[number, unknown]>) {
    if (isRecord(value)) yield { value, source: () => below(source, [index]) };
    else yield { at: source.locate([index]), message: 'a row must be an object' };
  }
}

/** The rows of a JSON Lines file; blank lines are skipped. */
export async function* readJsonlRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  let line = 0;
  for await (const lines of linesByChunk(decodedText(file, path))) {
    for (const text of lines) {
      line++;
      if (text.trim() !== '') yield readRow(file, line, text);
    }
  }
}

function readRow(file: string, line: number, text: string): RawRow | Problem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return (
      exactProblem(file, line, text) ?? {
        at: { file, line, column: 1 },
        message: 'comments and trailing commas are not allowed in a row',
      }
    );
  }
  if (!isRecord(value)) return { at: { file, line, column: 1 }, message: 'a row must be a JSON object' };
  return {
    value,
    flaw: () => (isSuspicious(text, value) ? exactProblem(file, line, text) : undefined),
    source: () => parseJsonSource(file, text, line),
  };
}

function exactProblem(file: string, line: number, text: string): Problem | undefined {
  try {
    refuseInexactNumbers(parseJsonSource(file, text, line), text, line);
    return undefined;
  } catch (error) {
    const [first] = error instanceof ProblemsError ? error.problems : [];
    if (!first) throw error;
    return first;
  }
}
