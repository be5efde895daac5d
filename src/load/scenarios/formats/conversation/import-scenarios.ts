import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import { readScenarioLines, type ScenarioData } from './scenario-lines.ts';

/** What an import has left behind. */
export interface Imported {
  /** As the user sees them. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

const longestName = 80;

/**
 * Writes each scenario of a JSON Lines file into a file of its own below a folder; both are relative to `folder`. Files
 * that are there already stay as they are, and so does everything that came before a bad line.
 */
export async function importScenarios(file: string, output: string, folder: string): Promise<Imported> {
  const { scenarios, problems } = await readScenarioLines(file, folder);
  const imported = { files: [] as string[], problems: [...problems] };
  if (scenarios.length > 0) await mkdir(resolve(folder, output), { recursive: true });
  const names = new Set<string>();
  for (const scenario of scenarios) {
    const name = freeName(scenario, names);
    const path = join(output, name);
    const text = `${JSON.stringify(scenario, null, 2)}\n`;
    try {
      await writeFile(resolve(folder, path), text, { flag: 'wx' });
      imported.files.push(path);
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      const reason = isThere ? 'it is there already' : String((error as Error).message);
      imported.problems.push({ at: { file: path, line: 1, column: 1 }, message: `this was not written: ${reason}` });
    }
  }
  return imported;
}

/** A file name that every file system takes, made of the scenario's name. */
function freeName(scenario: ScenarioData, taken: Set<string>): string {
  const plain = String(scenario.name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestName)
    .toLowerCase();
  const stem = plain || 'scenario';
  let name = `${stem}.json`;
  for (let number = 2; taken.has(name); number++) name = `${stem}-${number}.json`;
  taken.add(name);
  return name;
}
