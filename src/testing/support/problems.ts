import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formatProblem, type Problem } from '../../domain/problem.ts';
import { loadScenarios, registeredParts } from '../../entry/index.ts';

/** A module that scenarios in a test folder can call. */
export const toolFile = { 'tool.mjs': 'export const search = () => ({ count: 2 });\n' };

/** The marker that stands in a text where its problem is expected. */
const marker = '▸';

/** A text without its marker, and the line and column that it stood at. */
export function unmarked(text: string): { readonly text: string; readonly place: string } {
  const [before = '', after = '', ...rest] = text.split(marker);
  expect(rest, 'one marker in the text').toEqual([]);
  const lines = before.split('\n');
  return { text: before + after, place: `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}` };
}

/** Problems found while loading some files of a folder. */
export function load(folder: string, ...paths: readonly string[]) {
  return loadScenarios({ paths, folder, parts: registeredParts, defaults: { timeoutSecs: 5 } });
}

/** Writes a file and gives what is wrong with it, as users read it. */
export async function problemsOfFile(folder: string, file: string, content: string | Uint8Array): Promise<string[]> {
  await writeFile(join(folder, file), content);
  return (await load(folder, file)).problems.map(formatProblem);
}

/** Words that a user should never have to read. */
const internalWords =
  /zod|Invalid input|received|\[object|undefined|\bNaN\b|call stack|ENOENT|YAML\.parse|\bat .*\.[tj]s:\d|defect of Assay/i;

/** Asserts that a problem is one a person can act on: placed inside its file, short, and in plain words. */
export function expectReadable(problem: Problem, text: string): void {
  const lines = text.split('\n');
  const { line, column } = problem.at;
  const formatted = formatProblem(problem);
  expect(line, formatted).toBeGreaterThanOrEqual(1);
  expect(line, formatted).toBeLessThanOrEqual(lines.length);
  expect(column, formatted).toBeGreaterThanOrEqual(1);
  expect(column, formatted).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
  expect(formatted.split('\n').length, formatted).toBeLessThanOrEqual(2);
  expect(problem.message.replaceAll(/`[^`]*`/g, ''), formatted).not.toMatch(internalWords);
}
