import { lstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { counted } from '../../shared/format.ts';
import { KnownSecrets } from '../../shared/redaction/known-secrets.ts';
import { holdsCredentials, isCredentialFile } from './credential-files.ts';
import { folderOf, type IsMeant, matcherOf } from './file-patterns.ts';
import { gitFiles, type Listing, walkFiles } from './list-files.ts';
import { describeFiles, type FileProblem, manifestOf, type SecretSearch } from './manifest.ts';
import { storeFiles } from './store-files.ts';
import type { StoredFiles } from './stored-files.ts';

/** Which files of a project travel. */
interface FileChoice {
  /** Patterns of files that travel although Git ignores them. */
  readonly include: readonly string[];
  /** Patterns of files that stay. */
  readonly exclude: readonly string[];
}

/** A search for these values, in all forms that they are usually written in, also across the border of two pieces. */
export function secretSearch(secrets: Iterable<string>): SecretSearch {
  // Bytes are compared as Latin-1, one character each, so binary files are searched as well.
  const search = new KnownSecrets([...secrets].flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]));
  const overlap = Math.max(0, search.longestForm - 1);
  return {
    begin() {
      let before = '';
      return {
        finds(chunk) {
          if (search.longestForm === 0) return false;
          const text = before + chunk.toString('latin1');
          before = overlap === 0 ? '' : text.slice(-overlap);
          return search.redact(text) !== text;
        },
      };
    },
  };
}

/** Which files of a project a bundle takes, and which it must not. */
export interface BundleSettings extends FileChoice {
  readonly maxBytes: number;
  /** Values that must not leave this machine. */
  readonly secrets: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A project in the store. */
export interface PackedBundle {
  /** The same files always have the same id. */
  readonly bundleId: string;
  readonly fileCount: number;
  readonly byteCount: number;
  /** Files of secrets, which each machine has for itself. */
  readonly leftOut: readonly string[];
}

/** Stores the files of a project, so any worker can run its trials. Nothing is sent when one file must not be. */
export async function packBundle(folder: string, settings: BundleSettings, stored: StoredFiles): Promise<PackedBundle> {
  const chosen = await chooseFiles(folder, settings, settings.env);
  const unreadable = chosen.unreadableNames.map((path) => ({ path, reason: 'has a name that is not valid Unicode' }));
  assertNotTooLarge(folder, chosen.paths, settings.maxBytes);
  const { entries, problems } = await describeFiles(folder, chosen.paths, secretSearch(settings.secrets));
  if (problems.length + unreadable.length > 0) throw refused([...unreadable, ...problems]);
  const files = entries.filter((entry) => entry.type === 'file');
  if (files.length === 0) throw new AssayError('BUNDLE_REFUSED', `There are no files in ${folder} to send.`);
  const manifest = manifestOf(entries);
  await storeFiles(folder, manifest, stored);
  const byteCount = files.reduce((sum, file) => sum + file.byteCount, 0);
  return { bundleId: manifest.setId, fileCount: files.length, byteCount, leftOut: chosen.leftOut };
}

const namedFiles = 5;

/** Looked at before anything is read: a forgotten video should not be hashed first. */
function assertNotTooLarge(folder: string, paths: readonly string[], maxBytes: number): void {
  const sizes: { readonly path: string; readonly size: number }[] = [];
  let total = 0;
  for (const path of paths) {
    const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    sizes.push({ path, size: found.size });
    total += found.size;
  }
  if (total <= maxBytes) return;
  const largest = sizes.sort((a, b) => b.size - a.size).slice(0, namedFiles);
  const names = largest.map(({ path, size }) => `${JSON.stringify(path)} (${megabytes(size)})`).join(', ');
  throw new AssayError(
    'BUNDLE_REFUSED',
    `The files of the project are ${megabytes(total)}; the limit is ${megabytes(maxBytes)}. The largest: ${names}.`,
    { hint: 'Leave files out with `bundle.exclude` in the config, or raise `bundle.maxMegabytes`.' },
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function refused(problems: readonly FileProblem[]): AssayError {
  const named = problems.slice(0, namedFiles).map(({ path, reason }) => `${JSON.stringify(path)} ${reason}`);
  const more = problems.length > namedFiles ? `, and ${counted(problems.length - namedFiles, 'more file')}` : '';
  return new AssayError('BUNDLE_REFUSED', `The project cannot be sent to workers: ${named.join('; ')}${more}.`);
}

type Env = Readonly<Record<string, string | undefined>>;

/** Files of a bundle, and files that were left out on purpose. */
interface ChosenFiles extends Listing {
  readonly leftOut: readonly string[];
}

/** Never taken: our own results, and what Git keeps. */
const ownFolders = new Set(['.git', '.assay']);

/** The files of a project: what Git knows or would add, or else all but what is installed; never files of secrets. */
async function chooseFiles(folder: string, choice: FileChoice, env: Env): Promise<ChosenFiles> {
  const listings = [
    (await gitFiles(folder, env)) ?? (await walkFiles(folder, (_, name) => isInstalled(name))),
    ...(await includedFiles(folder, choice.include)),
  ];
  const isExcluded = matcherOf(choice.exclude);
  const found = [...new Set(listings.flatMap(({ paths }) => paths))]
    .filter((path) => !path.split('/').some((step) => ownFolders.has(step)))
    .filter((path) => !isExcluded(path))
    .sort();
  const leftOut = await credentialFiles(folder, found, choice.include);
  return {
    paths: found.filter((path) => !leftOut.has(path)),
    leftOut: [...leftOut],
    unreadableNames: [...new Set(listings.flatMap(({ unreadableNames }) => unreadableNames))],
  };
}

/** Each machine has its own. A key that only its content shows may travel where `include` names the very file. */
async function credentialFiles(
  folder: string,
  paths: readonly string[],
  include: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of paths) {
    if (isCredentialFile(path) || (!include.includes(path) && (await holdsCredentials(folder, path)))) found.add(path);
  }
  return found;
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
