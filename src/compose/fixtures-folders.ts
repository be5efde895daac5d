import { statSync } from 'node:fs';
import { join } from 'node:path';

const usualNames = ['llm-test-fixtures', 'fixtures'];

/** The folders in which templates and rubrics are looked for when the config names none. */
export function fixturesFolders(folder: string): string[] {
  return usualNames
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .slice(0, 1);
}
