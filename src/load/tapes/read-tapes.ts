import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { type Placed, type SummedLine, type Take, type TapeLine, tapeLineSchema } from '../../domain/tape.ts';
import { contentOf, digestOf, sumOf } from '../../drive/tape/tape-text.ts';
import type { Tape } from '../../drive/tape/tool-tapes.ts';
import { parseJsonSource } from '../sources/json-source.ts';
import { type DataPath, type ParsedSource, valueAt } from '../sources/parsed-source.ts';
import { problemsOf } from '../sources/schema-problems.ts';

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

interface ReadLine {
  readonly line: SummedLine;
  readonly number: number;
  at(path: DataPath): Problem['at'];
}

const recordAgain = 'Record it again with --record-tools. To change an answer, mock the tool in the scenario.';

/** Reads a recording; throws with every line that is not as it was recorded. `file` is named in the messages. */
export function readTape(file: string, text: string): Tape {
  const problems: Problem[] = [];
  const lines = text.split('\n').flatMap((written, index) => {
    if (written.trim() === '') return [];
    return readLine(file, written, index + 1, problems) ?? [];
  });
  // Lines that could not be read are missing in their takes.
  if (problems.length > 0) throw new ProblemsError(problems);
  const [head, ...rest] = lines;
  if (head?.line.kind !== 'tape') {
    const at = head?.at([]) ?? { file, line: 1, column: 1 };
    throw new ProblemsError([{ at, message: 'this is not a recording of tool calls' }]);
  }
  const takes = takesOf(file, rest, problems);
  if (problems.length > 0) throw new ProblemsError(problems);
  return { scenario: head.line.scenario, case: head.line.case, takes };
}

function readLine(file: string, text: string, number: number, problems: Problem[]): ReadLine | undefined {
  let parsed: ParsedSource | undefined;
  const source = (): ParsedSource => {
    parsed ??= parseJsonSource(file, text, number);
    return parsed;
  };
  const at = (path: DataPath): Problem['at'] => source().locate(path);
  try {
    const value = jsonOf(text) ?? source().value;
    const checked = tapeLineSchema.safeParse(value);
    if (!checked.success) {
      problems.push(...problemsOf(checked.error, source(), tapeLineSchema).map(withHint));
      return undefined;
    }
    // As it was written: a checked copy may lose the order of keys, and keys with a meaning in JavaScript.
    const line = value as SummedLine;
    if (line.sum === sumOf(line)) return { line, number, at };
    problems.push({ at: at(['sum']), message: 'this line was changed after it was recorded', hint: recordAgain });
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    problems.push(...error.problems.map(withHint));
  }
  return undefined;
}

function withHint(problem: Problem): Problem {
  return { ...problem, hint: problem.hint ?? recordAgain };
}

/** Undefined where only a closer look can say what is wrong. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The takes of a recording; notes what is wrong with them. */
function takesOf(file: string, lines: readonly ReadLine[], problems: Problem[]): Take[] {
  const groups: { readonly first: ReadLine; readonly rest: ReadLine[] }[] = [];
  for (const read of lines) {
    const group = groups.at(-1);
    if (read.line.kind === 'take') groups.push({ first: read, rest: [] });
    else if (read.line.kind === 'tape')
      problems.push({ at: read.at([]), message: 'only the first line begins a recording' });
    else if (group) group.rest.push(read);
    else problems.push({ at: read.at([]), message: 'this line belongs to no trial: one with `take` is missing' });
  }
  return groups.flatMap(({ first, rest }) => {
    const { line } = first;
    if (line.kind !== 'take') return [];
    const found = takeProblem(first, rest);
    if (found) problems.push(found);
    const placed = rest.map(({ line: each, number }): Placed<TapeLine> => {
      const { sum: _sum, ...kept } = each;
      return { ...kept, place: formatPosition({ file, line: number, column: 1 }) };
    });
    const place = formatPosition({ file, line: first.number, column: 1 });
    const { variant, repeat, untouched, subject } = line;
    return [{ place, variant, repeat, ...(untouched && { untouched }), subject, lines: placed }];
  });
}

function takeProblem(first: ReadLine, rest: readonly ReadLine[]): Problem | undefined {
  if (valueAt(first.line, ['content']) !== contentOf(rest.map(({ line }) => line.sum))) {
    const message = 'lines of this take were added, removed or moved after it was recorded';
    return { at: first.at(['content']), message, hint: recordAgain };
  }
  const definitions = (server: string) =>
    rest.flatMap(({ line }) => (line.kind === 'tool' && line.server === server ? [line.definition] : []));
  const other = rest.find(({ line }) => line.kind === 'server' && line.schemas !== digestOf(definitions(line.server)));
  if (other) return { at: other.at(['schemas']), message: 'its tools have another schema', hint: recordAgain };
  return undefined;
}
