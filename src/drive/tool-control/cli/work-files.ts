import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftFile } from './cli-reply.ts';

/** More are not looked at between calls. */
const mostEntries = 20_000;

/** The state of every file of a folder by path; undefined where there are too many. */
type FolderState = ReadonlyMap<string, string>;

/** Changes of files in the work directory of a trial, between one look and the next. */
export class WorkFiles {
  readonly #folder: string;
  #last: FolderState | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Paths that changed since the last look; undefined where the folder has too many files. */
  changed(): string[] | undefined {
    const before = this.#last;
    const now = stateOf(this.#folder);
    this.#last = now;
    if (!before || !now) return undefined;
    const gone = [...before.keys()].filter((path) => !now.has(path));
    const other = [...now].flatMap(([path, state]) => (before.get(path) === state ? [] : [path]));
    return [...gone, ...other].sort();
  }

  /** State of a path now. */
  read(path: string): LeftFile | undefined {
    const file = join(this.#folder, path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (!stat) return { is: 'removed' };
    const mode = (stat.mode & 0o7777).toString(8).padStart(3, '0');
    if (stat.isDirectory()) return { is: 'folder', mode };
    if (stat.isSymbolicLink()) return { is: 'link', to: readlinkSync(file) };
    return stat.isFile() ? { is: 'file', mode, content: readFileSync(file) } : undefined;
  }

  /** Size of the file at a path. */
  size(path: string): number {
    return lstatSync(join(this.#folder, path), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Of the paths, those of files with one of the identities. */
  withIdentity(paths: readonly string[], identities: ReadonlySet<string>): Set<string> {
    return new Set(paths.filter((path) => identities.has(identityOf(join(this.#folder, path)) ?? '')));
  }
}

function stateOf(folder: string): FolderState | undefined {
  const states = new Map<string, string>();
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const { name } of entriesOf(join(folder, path))) {
      if (states.size >= mostEntries) return undefined;
      const inner = path === '' ? name : `${path}/${name}`;
      const stat = lstatSync(join(folder, inner), { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      const { ino, mode, size, mtimeNs, ctimeNs } = stat;
      // The times of a folder change with what is in it.
      states.set(inner, stat.isDirectory() ? `${mode}` : [ino, mode, size, mtimeNs, ctimeNs].join(':'));
      if (stat.isDirectory()) waiting.push(inner);
    }
  }
  return states;
}

function entriesOf(folder: string): { readonly name: string }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Identities of all files that a process has open for writing, as far as the system shows them. */
export function openForWriting(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name: pid } of entriesOf('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const { name: descriptor } of entriesOf(`/proc/${pid}/fd`)) {
      const identity = writtenThrough(pid, descriptor);
      if (identity !== undefined) found.add(identity);
    }
  }
  return found;
}

/** The file behind a descriptor; undefined where it is not one, or open for reading only. */
function writtenThrough(pid: string, descriptor: string): string | undefined {
  try {
    if (!readlinkSync(`/proc/${pid}/fd/${descriptor}`).startsWith('/')) return undefined;
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & 3) === 0 ? undefined : identityOf(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
