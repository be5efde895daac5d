import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

const mostBytesOfGit = 256 * 1024 * 1024;

/** Files of a folder; names that are not valid Unicode are kept apart, because a manifest cannot hold them. */
export interface Listing {
  /** Files, links and empty folders; relative, with `/`. */
  readonly paths: readonly string[];
  /** As far as they can be shown. */
  readonly unreadableNames: readonly string[];
}

/** Files that Git tracks or would add; undefined where there is no repository, or no Git. */
export async function gitFiles(folder: string, env: Env): Promise<Listing | undefined> {
  // A hook's own variables would make Git look at another repository than that of the folder.
  const ownEnv = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
  const { error, stdout, stderr } = await runGit(folder, ownEnv);
  if (!error) return listingOf(splitAtNul(stdout));
  if (error.code === 'ENOENT' || /not a git repository/.test(stderr)) return undefined;
  throw new AssayError('BUNDLE_REFUSED', `Git cannot list the files of ${folder}: ${stderr.trim() || error.message}`, {
    hint: 'Make `git ls-files` work in this folder.',
  });
}

/** Everything below a folder, or below a part of it; `isSkipped` decides about folders by their path. */
export async function walkFiles(
  folder: string,
  isSkipped: (path: string, name: string) => boolean,
  part = '',
): Promise<Listing> {
  const listing = { paths: [] as string[], unreadableNames: [] as string[] };
  const pending = [part];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const items = await readdir(join(folder, at), { withFileTypes: true, encoding: 'buffer' });
    if (items.length === 0 && at !== '') listing.paths.push(at);
    for (const item of items) {
      const path = pathOf(at, item.name);
      if (path === undefined) listing.unreadableNames.push(`${at}/${item.name.toString('latin1')}`);
      else if (item.isDirectory()) {
        if (!isSkipped(path, item.name.toString())) pending.push(path);
      } else if (item.isFile() || item.isSymbolicLink()) listing.paths.push(path);
    }
  }
  return listing;
}

function pathOf(folder: string, name: Buffer): string | undefined {
  const decoded = decode(name);
  if (decoded === undefined) return undefined;
  return folder === '' ? decoded : `${folder}/${decoded}`;
}

function listingOf(names: readonly Buffer[]): Listing {
  const decoded = names.map((name) => ({ name, path: decode(name) }));
  return {
    // A file with a conflict is listed once for each side.
    paths: [...new Set(decoded.flatMap(({ path }) => path ?? []))],
    unreadableNames: decoded.filter(({ path }) => path === undefined).map(({ name }) => name.toString('latin1')),
  };
}

function decode(name: Buffer): string | undefined {
  const text = name.toString('utf8');
  return Buffer.from(text).equals(name) ? text : undefined;
}

function splitAtNul(output: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    names.push(output.subarray(start, end));
    start = end + 1;
  }
  return names;
}

interface Ran {
  readonly error: (Error & { readonly code?: unknown }) | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function runGit(cwd: string, env: Env): Promise<Ran> {
  const options = { cwd, env: { ...env, LC_ALL: 'C' }, maxBuffer: mostBytesOfGit, encoding: 'buffer' } as const;
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return new Promise((resolve) => {
    execFile('git', list, options, (error, stdout, stderr) => resolve({ error, stdout, stderr: stderr.toString() }));
  });
}
