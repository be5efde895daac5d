import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** Entry at one path of a tree: a file with its mode, or a link. */
export type Leaf = { readonly content: string; readonly mode: number } | { readonly target: string };
export type Tree = Readonly<Record<string, Leaf>>;

const name = fc.constantFrom('a', 'b', 'ö', 'with space', 'line\nbreak', '-x', '.hidden');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const content = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('x\ny\n', 'x\nz\n', '\0binary', ''));
const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ content, mode: fc.constantFrom(0o644, 0o755, 0o444) }) },
  { weight: 1, arbitrary: fc.record({ target: fc.constantFrom('a', '../b', 'nowhere', '/etc/passwd') }) },
);

/** Trees in which no file is where another path needs a folder. */
export const tree: fc.Arbitrary<Tree> = fc
  .dictionary(path, leaf, { maxKeys: 12 })
  .map((leaves) => Object.fromEntries(Object.entries(leaves).filter(([own]) => !isFolderOf(leaves, own))));

function isFolderOf(leaves: Tree, own: string): boolean {
  return Object.keys(leaves).some((other) => other.startsWith(`${own}/`));
}

/** Makes a folder hold exactly the tree, without touching files that are right already. */
export function writeTree(folder: string, wanted: Tree): void {
  const present = readTree(folder);
  const isRight = (own: string): boolean => JSON.stringify(present[own]) === JSON.stringify(wanted[own]);
  for (const own of Object.keys(present)) if (!isRight(own)) rmSync(join(folder, own));
  removeEmptyFolders(folder);
  for (const [own, wantedLeaf] of Object.entries(wanted)) if (!isRight(own)) writeLeaf(join(folder, own), wantedLeaf);
}

function writeLeaf(file: string, wanted: Leaf): void {
  mkdirSync(dirname(file), { recursive: true });
  if ('target' in wanted) symlinkSync(wanted.target, file);
  else {
    writeFileSync(file, wanted.content);
    chmodSync(file, wanted.mode);
  }
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const own = join(folder, entry.name);
    if (!entry.isDirectory()) continue;
    removeEmptyFolders(own);
    if (readdirSync(own).length === 0) rmSync(own, { recursive: true });
  }
}

/** The content of a folder. */
export function readTree(folder: string, prefix = ''): Tree {
  const found: Record<string, Leaf> = {};
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const own = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(found, readTree(folder, `${own}/`));
    else found[own] = readLeaf(join(folder, own));
  }
  return found;
}

function readLeaf(file: string): Leaf {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return { target: readlinkSync(file) };
  return { content: readFileSync(file, 'utf8'), mode: stats.mode & 0o777 };
}
