import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cyclesIn } from './import-graph.ts';

const root = fileURLToPath(new URL('../../src', import.meta.url));

/** What each group may import beside itself: never a group further down in this table. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  domain: ['shared'],
  drive: ['domain', 'shared'],
  'mcp-check': ['drive', 'domain', 'shared'],
  score: ['drive', 'domain', 'shared'],
  keep: ['score', 'domain', 'shared'],
  report: ['keep', 'score', 'domain', 'shared'],
  load: ['keep', 'score', 'drive', 'domain', 'shared'],
  engine: ['keep', 'score', 'drive', 'domain', 'shared'],
  features: ['engine', 'load', 'report', 'keep', 'score', 'drive', 'domain', 'shared'],
  compose: ['features', 'engine', 'load', 'report', 'keep', 'score', 'mcp-check', 'drive', 'domain', 'shared'],
  entry: ['compose', 'features', 'engine', 'load', 'report', 'keep', 'score', 'mcp-check', 'drive', 'domain', 'shared'],
};

/** Contract suites and fakes use everything, and nothing uses them. */
const testSupport = 'testing';

/** Folders without I/O and without a clock, so they can be used anywhere. */
const pureFolders = ['domain', 'shared/stats', 'score/criteria', 'score/interaction', 'score/judge', 'report/compare'];

interface SourceFile {
  readonly realPath: string;
  /** Where it belongs. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sourceFiles(): SourceFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('.test.ts'))
    .map((realPath) => {
      const path = placeOf(realPath);
      const text = readFileSync(join(root, realPath), 'utf8');
      const imports = [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map((match) => match[1] ?? '');
      return { realPath, path, folder: path.split('/').length > 1 ? (path.split('/')[0] ?? '') : '', text, imports };
    });
}

/**
 * The options of a feature are in its folder, and a part of the domain: flags, pages and stored requests need no more. What
 * it shows in reports is a part of them.
 */
function placeOf(path: string): string {
  return path
    .replace(/^features\/([\w-]+)\/options\.ts$/, 'domain/run-options/$1.ts')
    .replace(/^features\/([\w-]+)\/report\//, 'report/reporters/sections/$1/');
}

function importedFile(file: SourceFile, specifier: string): string {
  return placeOf(relative(root, join(root, dirname(file.realPath), specifier)));
}

/** The version is read from there. */
const isPackageJson = (specifier: string): boolean => specifier.endsWith('/package.json');

/** The folder of a file inside of its group; files beside the folders are a room of their own. */
function roomOf(path: string): string {
  const [, room = '', ...file] = path.split('/');
  return file.length === 0 ? '.' : room;
}

/** The rooms of a group by the rooms that they import. */
function roomsOf(group: string, files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const rooms = new Map<string, Set<string>>();
  for (const file of files.filter(({ folder }) => folder === group)) {
    const imported = file.imports.filter((specifier) => specifier.startsWith('.'));
    const inside = imported
      .map((specifier) => importedFile(file, specifier))
      .filter((path) => path.startsWith(`${group}/`));
    const room = rooms.get(roomOf(file.path)) ?? new Set();
    for (const path of inside) room.add(roomOf(path));
    rooms.set(roomOf(file.path), room);
  }
  return new Map([...rooms].map(([room, imported]) => [room, [...imported].filter((other) => other !== room)]));
}

function isAllowed(file: SourceFile, specifier: string): boolean {
  if (file.folder === testSupport) return true;
  const target = importedFile(file, specifier).split('/')[0] ?? '';
  return target === file.folder || allowed[file.folder]?.includes(target) === true;
}

describe('import boundaries', () => {
  const files = sourceFiles();

  it('sees the source', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(new Set(files.map((file) => file.folder))).toEqual(new Set([...Object.keys(allowed), testSupport]));
  });

  it('the table has no arrow that points up', () => {
    const order = Object.keys(allowed);
    const wrong = Object.entries(allowed).flatMap(([folder, targets]) =>
      targets
        .filter((target) => order.indexOf(target) >= order.indexOf(folder))
        .map((target) => `${folder} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports follow the table', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.') && !isPackageJson(specifier) && !isAllowed(file, specifier))
        .map((specifier) => `${file.path} imports ${importedFile(file, specifier)}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(allowed))('no rooms of %s import each other in a circle', (group) => {
    const rooms = roomsOf(group, files);
    expect(rooms.size).toBeGreaterThan(0);
    expect(cyclesIn(rooms)).toEqual([]);
  });

  it('the pure folders touch nothing outside of themselves', () => {
    const wrong = files
      .filter((file) => pureFolders.some((folder) => file.path.startsWith(`${folder}/`)))
      .flatMap((file) => [
        ...file.imports
          .filter((specifier) => specifier.startsWith('node:'))
          .map((name) => `${file.path} imports ${name}`),
        ...(/\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/.test(file.text)
          ? [`${file.path} reads a clock`]
          : []),
        ...(/\bprocess\./.test(file.text) ? [`${file.path} uses process`] : []),
      ]);
    expect(wrong).toEqual([]);
  });

  it('only the entry, compose and the thread of a module touch argv, env, exit and standard streams', () => {
    const mayTouch = ['entry', 'compose', testSupport];
    const inThread = ['drive/targets/call/module-worker.ts'];
    const wrong = files
      .filter((file) => !mayTouch.includes(file.folder) && !inThread.includes(file.path))
      .filter((file) => /\bprocess\.(argv|env|exit|exitCode|stdout|stderr|stdin)\b/.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('runs no text as code', () => {
    const wrong = files.filter((file) => /\beval\(|new Function\(|node:vm/.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('has no star exports', () => {
    expect(files.filter((file) => /^export \*/m.test(file.text)).map((file) => file.path)).toEqual([]);
  });
});
