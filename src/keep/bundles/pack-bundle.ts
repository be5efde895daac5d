import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { counted } from '../../shared/format.ts';
import { chooseFiles, type FileChoice } from './choose-files.ts';
import { describeFiles, type FileProblem } from './describe-files.ts';
import { manifestOf } from './manifest.ts';
import { secretSearch } from './secret-search.ts';
import { storeFiles } from './store-files.ts';
import type { StoredFiles } from './stored-files.ts';

/** What travels of a project, and what must not. */
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

/** Puts the files of a project into the store, so that any worker can run its trials. Nothing is sent when one must not. */
export async function packBundle(folder: string, settings: BundleSettings, stored: StoredFiles): Promise<PackedBundle> {
  const chosen = await chooseFiles(folder, settings, settings.env);
  const unreadable = chosen.unreadableNames.map((path) => ({ path, reason: 'has a name that is no Unicode' }));
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
    `The files of the project are ${megabytes(total)}; ${megabytes(maxBytes)} may travel. The largest: ${names}.`,
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
