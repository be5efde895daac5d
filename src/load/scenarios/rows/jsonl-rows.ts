import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import { eachLine } from '../../../shared/text.ts';
import { refuseEndlessNumbers } from '../../sources/endless-numbers.ts';
import { parseJsonSource } from '../../sources/json-source.ts';
import { decodedText } from './decoded-text.ts';
import { countKeys, scanJson } from './json-scan.ts';
import type { RawRow } from './raw-row.ts';

/** The rows of a JSON Lines file; blank lines are passed over. */
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
        message: 'a row cannot have comments or trailing commas',
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

/** A quick look, since it is taken at every row. */
function isSuspicious(text: string, value: unknown): boolean {
  const { keyCount, isTooDeep } = scanJson(text);
  return isTooDeep || keyCount !== countKeys(value);
}

function exactProblem(file: string, line: number, text: string): Problem | undefined {
  try {
    refuseEndlessNumbers(parseJsonSource(file, text, line));
    return undefined;
  } catch (error) {
    const [first] = error instanceof ProblemsError ? error.problems : [];
    if (!first) throw error;
    return first;
  }
}
