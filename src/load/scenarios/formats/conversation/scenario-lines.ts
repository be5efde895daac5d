import { join, resolve } from 'node:path';
import { type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { isRecord } from '../../../../shared/json.ts';
import { makeFolders } from '../../../../shared/make-folders.ts';
import { writeNew } from '../../../../shared/redacted-files.ts';
import { usersText } from '../../../../shared/redaction/redacted.ts';
import { fileFault, readSource } from '../../../sources/source-file.ts';
import { readJsonlRows } from '../../datasets/json-rows.ts';
import { isProblem, type RawRow } from '../../datasets/raw-row.ts';
import { type Findings, parseTolerantly } from '../tolerant-parse.ts';
import { looksLikeConversations } from './conversation-format.ts';
import { conversationSchema, decidingKeys, isTopLevel, withoutUnset } from './conversation-schema.ts';

/** The data of a scenario, with every field that it has. */
export type ScenarioData = Readonly<Record<string, unknown>>;

/** Result of reading scenarios; a bad line does not affect the others. */
interface ReadLines {
  readonly scenarios: readonly ScenarioData[];
  readonly problems: readonly Problem[];
}

/** JSON Lines with one scenario each; every field is kept. */
export function scenarioLines(scenarios: Iterable<ScenarioData>): string {
  return [...scenarios].map((scenario) => `${JSON.stringify(scenario)}\n`).join('');
}

/** The conversations of a scenario file, unchanged; none for a file of another format. */
export async function conversationsIn(file: string, folder: string): Promise<readonly ScenarioData[]> {
  const { value } = await readSource(file, folder);
  return looksLikeConversations(value) ? [value].flat().filter(isRecord) : [];
}

/** Reads JSON Lines with one scenario each; `file` is the path as the user wrote it. */
export async function readScenarioLines(file: string, folder: string): Promise<ReadLines> {
  const scenarios: ScenarioData[] = [];
  const found: Findings = { problems: [], warnings: [] };
  const lineOf = new Map<string, number>();
  try {
    for await (const row of readJsonlRows(file, resolve(folder, file))) {
      const problem = isProblem(row) ? row : row.flaw?.();
      if (problem) found.problems.push(problem);
      else if (!isProblem(row)) scenarios.push(...checkedLine(row, lineOf, found));
    }
  } catch (error) {
    found.problems.push(...unreadable(file, error));
  }
  return { scenarios, problems: found.problems };
}

/** The data of a line, if it is a scenario and the first of its name. */
function checkedLine(row: RawRow, lineOf: Map<string, number>, found: Findings): ScenarioData[] {
  const source = row.source();
  const value = withoutUnset(row.value);
  const parsed = parseTolerantly(
    { schema: conversationSchema, value, source, isTolerant: isTopLevel, decidingKeys },
    found,
  );
  if (!parsed) return [];
  const at = source.locate(['name']);
  const first = lineOf.get(parsed.name);
  if (first !== undefined) {
    found.problems.push({ at, message: `duplicate scenario name "${parsed.name}": first in line ${first}` });
    return [];
  }
  lineOf.set(parsed.name, at.line);
  return [row.value];
}

/** Errors of the file system and syntax errors are problems of the file; any other error is thrown. */
function unreadable(file: string, error: unknown): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return [{ at: { file, line: 1, column: 1 }, message: fileFault(error) }];
}

/** Result of an import. */
interface Imported {
  /** Relative to the given folder. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

const longestName = 80;

/**
 * Writes each scenario of a JSON Lines file into its own file below a folder; both are relative to `folder`. Existing
 * files are not overwritten, and a bad line does not affect the others.
 */
export async function importScenarios(file: string, output: string, folder: string): Promise<Imported> {
  const { scenarios, problems } = await readScenarioLines(file, folder);
  const imported = { files: [] as string[], problems: [...problems] };
  if (scenarios.length > 0) makeFolders(resolve(folder, output));
  const names = new Set<string>();
  for (const scenario of scenarios) {
    const name = freeName(scenario, names);
    const path = join(output, name);
    const text = `${JSON.stringify(scenario, null, 2)}\n`;
    try {
      await writeNew(resolve(folder, path), usersText(text));
      imported.files.push(path);
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
      const reason = exists ? 'the file already exists' : String((error as Error).message);
      imported.problems.push({ at: { file: path, line: 1, column: 1 }, message: `not written: ${reason}` });
    }
  }
  return imported;
}

/** A file name that every file system takes, made of the scenario's name. */
function freeName(scenario: ScenarioData, used: Set<string>): string {
  const plain = String(scenario.name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestName)
    .toLowerCase();
  const stem = plain || 'scenario';
  let name = `${stem}.json`;
  for (let number = 2; used.has(name); number++) name = `${stem}-${number}.json`;
  used.add(name);
  return name;
}
