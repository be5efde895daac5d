import { buffer as readAll } from 'node:stream/consumers';
import { type JudgeInput, judgeInputSchema } from '../../../../domain/judge-protocol.ts';
import { type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { parseJsonSource } from '../../../../load/sources/json-source.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../../load/sources/schema-problems.ts';
import { decodeText, readText } from '../../../../load/sources/source-file.ts';
import type { CliContext } from '../../context.ts';

/** One checked judge input, and where it stands. */
export interface LocatedInput {
  readonly input: JudgeInput;
  readonly source: ParsedSource;
  readonly path: DataPath;
}

/** The inputs of a file, and the shape of the output for them. */
export interface JudgeBatch {
  readonly shape: 'one' | 'array' | 'lines';
  readonly inputs: readonly LocatedInput[];
}

/** Reads and checks all files, `-` being stdin; the problems of all files are reported together. */
export async function readJudgeInputs(files: readonly string[], context: CliContext): Promise<JudgeBatch[]> {
  const problems: Problem[] = [];
  const batches: JudgeBatch[] = [];
  for (const file of files) {
    const name = file === '-' ? '<stdin>' : file;
    try {
      const text = file === '-' ? decodeText(name, await readAll(context.stdin)) : await readText(file, context.cwd);
      batches.push(readBatch(name, text, problems));
    } catch (error) {
      problems.push(...problemsIn(error));
    }
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  return batches;
}

function readBatch(name: string, text: string, problems: Problem[]): JudgeBatch {
  if (isJsonLines(name, text)) return { shape: 'lines', inputs: readLines(name, text, problems) };
  const source = parseJsonSource(name, text);
  if (!Array.isArray(source.value)) return { shape: 'one', inputs: check(source, [], problems) };
  return { shape: 'array', inputs: source.value.flatMap((_value, index) => check(source, [index], problems)) };
}

/** By name, or because the text is several JSON values below each other. */
function isJsonLines(name: string, text: string): boolean {
  if (/\.(jsonl|ndjson)$/.test(name)) return true;
  const [first = '', second = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return isJson(first) && isJson(second);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLines(name: string, text: string, problems: Problem[]): LocatedInput[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return check(parseJsonSource(name, line, index + 1), [], problems);
    } catch (error) {
      problems.push(...problemsIn(error));
      return [];
    }
  });
}

function check(source: ParsedSource, path: DataPath, problems: Problem[]): LocatedInput[] {
  const value = valueAt(source.value, path);
  const parsed = judgeInputSchema.safeParse(value);
  if (!parsed.success) {
    problems.push(...problemsOf(parsed.error, source, judgeInputSchema, path));
    return [];
  }
  if (parsed.data.passCriteria.length + parsed.data.failCriteria.length > 0)
    return [{ input: parsed.data, source, path }];
  problems.push({
    at: source.locate(path),
    message: 'there are no criteria, so nothing would be judged',
    hint: 'Add at least one expression to `passCriteria` or `failCriteria`.',
  });
  return [];
}

function problemsIn(error: unknown): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  throw error;
}
