import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['src', 'web/src', 'test', 'examples', 'bench', 'scripts'];
const mostLines = 60;

const opening = /^( *)(?:export |default |async |const \w+ = memo\()*(?:function\b(?!.*\}$)|it\()/;

/** Functions and tests, by the place where they begin, that have too many lines. The formatter aligns their ends. */
function longFunctions(name: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    const indentation = opening.exec(line)?.[1];
    if (indentation === undefined) return [];
    const end = new RegExp(`^${indentation}\\}[);,]*$`);
    const length = lines.slice(start).findIndex((later) => end.test(later));
    const count = lines.slice(start, start + length + 1).filter((counted) => counted.trim() !== '').length;
    return count > mostLines ? [`${name}:${start + 1} (${count} lines)`] : [];
  });
}

function filesOf(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !/(?:^|\/)(?:node_modules|dist|\.assay)\//.test(name))
    .map((name) => join(folder, name));
}

it('a long function is found', () => {
  const body = (count: number): string => `  call();\n\n`.repeat(count);
  expect(longFunctions('a.ts', `function a() {\n${body(58)}}\n`)).toEqual([]);
  expect(longFunctions('a.ts', `function a() {\n${body(59)}}\n`)).toEqual(['a.ts:1 (61 lines)']);
});

// The linter holds this limit too, but does not count the lines of JSX, and cannot distinguish a test from a suite.
it('no function and no test has more than 60 lines', () => {
  const files = folders.flatMap(filesOf);
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((name) => longFunctions(name, readFileSync(join(root, name), 'utf8')))).toEqual([]);
});
