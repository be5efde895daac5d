import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftFile } from './cli-reply.ts';

/** More are not looked at between calls. */
const mostEntries = 20_000;

/** The state of every file of a folder by path; undefined where there are too many. */
type FolderState = ReadonlyMap<string, string>;

/** Changes of files in a folder of a trial, between one look and the next. */
export class FolderFiles {
  readonly #folder: string;
  readonly #prefix: string;
  #last: FolderState | undefined;

  /** `prefix` begins all paths, and is not a part of them on the disk. */
  constructor(folder: string, prefix = '') {
    this.#folder = folder;
    this.#prefix = prefix;
  }

  /** Paths that changed since the last look; undefined where the folder has too many files, and at the first look. */
  changed(_isInCall: boolean): string[] | undefined {
    const before = this.#last;
    const now = stateOf(this.#folder);
    this.#last = now;
    if (!before || !now) return undefined;
    const gone = [...before.keys()].filter((path) => !now.has(path));
    const other = [...now].flatMap(([path, state]) => (before.get(path) === state ? [] : [path]));
    return [...gone, ...other].sort().map((path) => this.#prefix + path);
  }

  /** All paths at the last look. */
  protected paths(): string[] {
    return [...(this.#last?.keys() ?? [])].map((path) => this.#prefix + path);
  }

  /** State of a path now. */
  read(path: string): LeftFile | undefined {
    const file = this.#fileAt(path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (!stat) return { is: 'removed' };
    const mode = (stat.mode & 0o7777).toString(8).padStart(3, '0');
    if (stat.isDirectory()) return { is: 'folder', mode };
    if (stat.isSymbolicLink()) return { is: 'link', to: readlinkSync(file) };
    return stat.isFile() ? { is: 'file', mode, content: readFileSync(file) } : undefined;
  }

  /** Size of the file at a path. */
  size(path: string): number {
    return lstatSync(this.#fileAt(path), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Of the paths, those of files with one of the identities. */
  withIdentity(paths: readonly string[], identities: ReadonlySet<string>): Set<string> {
    return new Set(paths.filter((path) => identities.has(identityOf(this.#fileAt(path)) ?? '')));
  }

  #fileAt(path: string): string {
    return join(this.#folder, path.slice(this.#prefix.length));
  }
}

/**
 * Changes of files in the home or the temporary folder of a trial, where the agent keeps its own files while programs
 * run: places that the agent uses between calls are its own.
 */
export class SharedFolderFiles extends FolderFiles {
  readonly #prefixLength: number;
  readonly #ofAgent = new Set<string>();
  readonly #ofTools = new Set<string>();
  /** Changed in places of programs while none was called. */
  readonly late: string[] = [];

  constructor(name: 'home' | 'tmp', folder: string) {
    const prefix = `<assay:${name}>/`;
    super(folder, prefix);
    this.#prefixLength = prefix.length;
  }

  override changed(isInCall: boolean): string[] | undefined {
    const changed = super.changed(isInCall);
    if (!changed) {
      for (const path of this.paths()) this.#ofAgent.add(this.#placeOf(path));
      return undefined;
    }
    if (isInCall) return changed.filter((path) => this.#isOfTools(path));
    for (const path of changed) {
      if (this.#ofTools.has(this.#placeOf(path))) this.late.push(path);
      else this.#ofAgent.add(this.#placeOf(path));
    }
    return [];
  }

  #isOfTools(path: string): boolean {
    const place = this.#placeOf(path);
    if (this.#ofAgent.has(place)) return false;
    this.#ofTools.add(place);
    return true;
  }

  /** The place of one program: the first part of a path, or the one below folders that programs share. */
  #placeOf(path: string): string {
    const parts = path.slice(this.#prefixLength).split('/');
    return parts.slice(0, sharedDepth[parts[0] ?? ''] ?? 1).join('/');
  }
}

/** How deep the folder of one program is in folders that programs share. */
const sharedDepth: Readonly<Record<string, number>> = { '.config': 2, '.cache': 2, '.local': 3 };

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
