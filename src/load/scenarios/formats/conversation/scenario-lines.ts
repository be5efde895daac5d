import { resolve } from 'node:path';
import { type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { isRecord } from '../../../../shared/json.ts';
import { fileFault } from '../../../sources/file-fault.ts';
import { readSource } from '../../../sources/source-file.ts';
import { readJsonlRows } from '../../rows/jsonl-rows.ts';
import { isProblem, type RawRow } from '../../rows/raw-row.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import { parseTolerantly } from '../llm-tool-test/tolerant-parse.ts';
import { conversationSchema, decidingKeys, isTopLevel } from './conversation-schema.ts';
import { looksLikeConversations } from './looks-like-conversation.ts';
import { withoutUnset } from './without-unset.ts';

/** The data of a scenario, with every field that it has. */
export type ScenarioData = Readonly<Record<string, unknown>>;

/** What came of reading or importing scenarios; bad lines leave the others. */
export interface ReadLines {
  readonly scenarios: readonly ScenarioData[];
  readonly problems: readonly Problem[];
}

/** JSON Lines with one scenario each; every field is kept. */
export function scenarioLines(scenarios: Iterable<ScenarioData>): string {
  return [...scenarios].map((scenario) => `${JSON.stringify(scenario)}\n`).join('');
}

/** The conversations of a scenario file as they are written; none for a file of another kind. */
export async function conversationsIn(file: string, folder: string): Promise<readonly ScenarioData[]> {
  const { value } = await readSource(file, folder);
  return looksLikeConversations(value) ? [value].flat().filter(isRecord) : [];
}

/** Reads JSON Lines with one scenario each; `file` is how the user names it. */
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
    found.problems.push({ at, message: `there is another scenario named "${parsed.name}" in line ${first}` });
    return [];
  }
  lineOf.set(parsed.name, at.line);
  return [row.value];
}

/** The file system's reason, or what is wrong with the text; any other error is not the file's fault. */
function unreadable(file: string, error: unknown): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return [{ at: { file, line: 1, column: 1 }, message: fileFault(error) }];
}
