import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { forbiddenWords } from './forbidden-words.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders and files in which people read our words. */
const places = [
  'src',
  'web/src',
  'docs',
  'examples',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/** Texts that are fixed elsewhere: recorded output, prompts with a version, the attacks that a rule looks for. */
const isFixedText = (path: string): boolean =>
  /\/(fixtures|prompts|node_modules|\.vitepress)\/|\.(jsonl|snap)$|mcp-check\/rules\/(safety|rules\.test)\.ts$/.test(
    `/${path}`,
  );

/** Participles that say nothing as a name. */
const forbiddenNames =
  /\b(?:const|let|var|function|class|interface|type)\s+(?:\{[^}=]*\b)?(known|told|said|asked|shown|seen)\b|\b(?:(?:told|said|asked)(?=[A-Z]|\b)|\w*(?:Told|Said|Asked))\w*\s*[:=(]/;

function filesIn(place: string): string[] {
  const path = join(root, place);
  if (statSync(path).isFile()) return [place];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => relative(root, join(path, name)))
    .filter((name) => /\.(ts|tsx|md|mjs)$/.test(name));
}

const files = places.flatMap(filesIn).filter((path) => !isFixedText(path));

describe('our words', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(500);
  });

  it.each([...forbiddenWords])('%s is not written', (pattern, instead) => {
    const hits = files.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()} (${instead})`] : [])),
    );
    expect(hits).toEqual([]);
  });

  it('names are nouns and verbs a stranger would guess', () => {
    const code = files.filter((path) => /\.(ts|tsx|mjs)$/.test(path));
    const hits = code.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (forbiddenNames.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(hits).toEqual([]);
    expect(files.filter((path) => /(^|-)(told|said|asked)(-|\.)/.test(basename(path)))).toEqual([]);
  });
});
