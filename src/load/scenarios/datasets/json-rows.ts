import { readFile } from 'node:fs/promises';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { eachLine } from '../../../shared/text.ts';
import { measureJson } from '../../sources/json-scanner.ts';
import { parseJsonSource } from '../../sources/json-source.ts';
import { below } from '../../sources/parsed-source.ts';
import { mostLevels, refuseInfiniteNumbers } from '../../sources/refused-data.ts';
import { decodeText } from '../../sources/source-file.ts';
import { decodedText, type RawRow } from './raw-row.ts';

/** The rows of a JSON file with one array; unlike JSON Lines it is not streamed. */
export async function* readJsonRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  const source = parseJsonSource(file, decodeText(file, await readFile(path)));
  refuseInfiniteNumbers(source);
  if (!Array.isArray(source.value))
    throw new ProblemsError([{ at: source.locate([]), message: 'the dataset must be a list of objects' }]);
  for (const [index, value] of source.value.entries() as IterableIterator<[number, unknown]>) {
    if (isRecord(value)) yield { value, source: () => below(source, [index]) };
    else yield { at: source.locate([index]), message: 'a row must be an object' };
  }
}

/**
 * Number of keys of all objects in a value: fewer than in its text when a key is duplicated, and infinite
 * when one of its numbers is infinite.
 */
function countKeys(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  let count = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) count += countKeys(part);
  return count;
}

/** The rows of a JSON Lines file; blank lines are skipped. */
export async function* readJsonlRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  let line = 0;
  for await (const text of eachLine(decodedText(file, path))) {
    line++;
    if (text.trim() !== '') yield readRow(file, line, text);
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

/** A quick check, because it runs on every row. */
function isSuspicious(text: string, value: unknown): boolean {
  const { keyCount, levels } = measureJson(text);
  return levels > mostLevels || keyCount !== countKeys(value);
}

function exactProblem(file: string, line: number, text: string): Problem | undefined {
  try {
    refuseInfiniteNumbers(parseJsonSource(file, text, line));
    return undefined;
  } catch (error) {
    const [first] = error instanceof ProblemsError ? error.problems : [];
    if (!first) throw error;
    return first;
  }
}
