import { createReadStream } from 'node:fs';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { isRecord } from '../../shared/json.ts';
import { eachLine } from '../../shared/lines.ts';
import { parseJsonSource } from '../json-source.ts';
import type { ParsedSource } from '../parsed-source.ts';
import type { RawRow } from './raw-row.ts';

/** The rows of a JSON Lines file; blank lines are passed over. */
export async function* readJsonlRows(file: string, path: string): AsyncGenerator<RawRow | Problem, void> {
  let line = 0;
  for await (const text of eachLine(createReadStream(path, 'utf8'))) {
    line++;
    if (text.trim() !== '') yield readRow(file, line, text);
  }
}

function readRow(file: string, line: number, text: string): RawRow | Problem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return syntaxProblem(file, line, text);
  }
  if (!isRecord(value)) return { at: { file, line, column: 1 }, message: 'a row must be a JSON object' };
  return { value, source: () => shiftLines(parseJsonSource(file, text), line - 1) };
}

function syntaxProblem(file: string, line: number, text: string): Problem {
  try {
    parseJsonSource(file, text);
    return {
      at: { file, line, column: 1 },
      message: 'the row is not JSON; comments and trailing commas are not allowed in JSON Lines',
    };
  } catch (error) {
    const found = error instanceof ProblemsError ? error.problems[0] : undefined;
    return { at: { file, line, column: found?.at.column ?? 1 }, message: found?.message ?? 'the row is not JSON' };
  }
}

function shiftLines(source: ParsedSource, by: number): ParsedSource {
  const shift =
    <Arguments extends unknown[]>(locate: (...given: Arguments) => ReturnType<ParsedSource['locate']>) =>
    (...given: Arguments) => {
      const at = locate(...given);
      return { ...at, line: at.line + by };
    };
  return {
    file: source.file,
    value: source.value,
    locate: shift(source.locate),
    locateKey: shift(source.locateKey),
    locateInString: shift(source.locateInString),
  };
}
