import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cyclesIn, type Graph } from './import-graph.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const statement = /^(?:import|export)\s+(type\s+)?([^'";]*?)from\s+'(\.[^']+)'/gms;

function isTypeOnly(keyword: string | undefined, names: string): boolean {
  if (keyword) return true;
  const listed = /^\{([^}]*)\}\s*$/s
    .exec(names.trim())?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return listed?.every((name) => /^\s*type\s/.test(name)) ?? false;
}

/** Files by the files that they import; `import type` counts only where types are requested. */
function graphOf(folder: string, withTypes: boolean): Graph {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/.test(name) && !/\.(test\.tsx?|d\.ts)$/.test(name));
  return new Map(
    files.map((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8');
      const imported = [...text.matchAll(statement)]
        .filter(([, keyword, listed = '']) => withTypes || !isTypeOnly(keyword, listed))
        .map(([, , , specifier = '']) => join(dirname(name), specifier));
      return [name, imported];
    }),
  );
}

/** Types that contain each other: the parts of a JSON Schema. */
const recursiveTypes = [/^shared\/json-schema\//];

describe.each(['src', 'web/src'])('imports of %s', (folder) => {
  it('finds files', () => {
    expect(graphOf(folder, true).size).toBeGreaterThan(100);
  });

  it('have no cycle of values', () => {
    expect(cyclesIn(graphOf(folder, false))).toEqual([]);
  });

  it('have no cycle of types, except types that contain each other', () => {
    const cycles = cyclesIn(graphOf(folder, true));
    expect(cycles.filter((cycle) => !recursiveTypes.some((place) => place.test(cycle)))).toEqual([]);
  });
});

it('a cycle is found', () => {
  expect(
    cyclesIn(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['a']],
        ['d', ['a']],
      ]),
    ),
  ).toEqual(['a ↔ b ↔ c']);
});
