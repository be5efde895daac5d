import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf, type IsMeant, matcherOf } from './file-patterns.ts';
import { gitFiles, type Listing, walkFiles } from './list-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Which files of a project travel. */
export interface FileChoice {
  /** Patterns of files that travel although Git ignores them. */
  readonly include: readonly string[];
  /** Patterns of files that stay. */
  readonly exclude: readonly string[];
}

/** What travels, and what was left out although it would have. */
export interface ChosenFiles extends Listing {
  readonly leftOut: readonly string[];
}

/** Never taken: our own results, and what Git keeps. */
const ownFolders = new Set(['.git', '.assay']);

/** The files of a project: what Git knows or would add, or else all but what is installed; never files of secrets. */
export async function chooseFiles(folder: string, choice: FileChoice, env: Env): Promise<ChosenFiles> {
  const listings = [
    (await gitFiles(folder, env)) ?? (await walkFiles(folder, (_, name) => isInstalled(name))),
    ...(await includedFiles(folder, choice.include)),
  ];
  const isExcluded = matcherOf(choice.exclude);
  const found = [...new Set(listings.flatMap(({ paths }) => paths))]
    .filter((path) => !path.split('/').some((step) => ownFolders.has(step)))
    .filter((path) => !isExcluded(path))
    .sort();
  return {
    paths: found.filter((path) => !isSecretFile(path)),
    leftOut: found.filter(isSecretFile),
    unreadableNames: [...new Set(listings.flatMap(({ unreadableNames }) => unreadableNames))],
  };
}

async function includedFiles(folder: string, patterns: readonly string[]): Promise<Listing[]> {
  const listings: Listing[] = [];
  for (const pattern of patterns) {
    const isMeant = matcherOf([pattern]);
    const start = folderOf(pattern);
    const entersInstalled = pattern.includes('node_modules');
    const isSkipped = (path: string, name: string): boolean =>
      ownFolders.has(name) || (isInstalled(name) && !entersInstalled && !isMeant(path));
    listings.push(await meantFiles(folder, start, isMeant, isSkipped));
  }
  return listings;
}

async function meantFiles(
  folder: string,
  start: string,
  isMeant: IsMeant,
  isSkipped: (path: string, name: string) => boolean,
): Promise<Listing> {
  const found = start.split('/').includes('..') ? undefined : await stat(join(folder, start)).catch(() => undefined);
  if (!found) return { paths: [], unreadableNames: [] };
  if (!found.isDirectory()) return { paths: [start], unreadableNames: [] };
  const { paths, unreadableNames } = await walkFiles(folder, isSkipped, start);
  return { paths: paths.filter(isMeant), unreadableNames };
}

function isInstalled(name: string): boolean {
  return ownFolders.has(name) || name === 'node_modules';
}

/** Each machine has its own; samples of them hold no secrets. */
function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^\.env(?:\..+)?$|^\.envrc$/.test(name) && !/\.(?:example|sample|template|dist)$/.test(name);
}
