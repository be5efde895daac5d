import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { type BytePath, bytePath, fileOf } from './byte-path.ts';
import { EventLoopYielder } from './event-loop-yielder.ts';

const deepest = 2;
const summarizedEntries = 2_000;

/**
 * A text that changes when something is done to the upper levels of a folder, which commits and installations always
 * do. Changes further down are not noticed.
 */
function summaryOf(folder: BytePath): string {
  const hash = createHash('sha256');
  describe(folder, 1, hash, { left: summarizedEntries });
  return hash.digest('base64');
}

function describe(folder: BytePath, depth: number, hash: Hash, entries: { left: number }): void {
  for (const entry of sortedEntries(folder)) {
    if (entries.left-- <= 0) return;
    const path = `${folder}${entry.name}`;
    hash.update(`${depth} ${JSON.stringify(entry.name)} ${timeAndSize(path)}\n`);
    if (entry.isDirectory() && depth < deepest) describe(`${path}/`, depth + 1, hash, entries);
  }
}

function sortedEntries(folder: BytePath): Dirent[] {
  try {
    const entries = readdirSync(fileOf(folder), { withFileTypes: true, encoding: 'latin1' });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function timeAndSize(path: BytePath): string {
  try {
    const { mtimeMs, size } = lstatSync(fileOf(path));
    return `${mtimeMs} ${size}`;
  } catch {
    return 'gone';
  }
}

/** Opening must neither follow a link that has taken the file's place nor wait for a pipe that has. */
const asItIs = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The content of a small file; undefined when it cannot be read. */
export function readFileBytes(file: Buffer): Buffer | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, asItIs);
    return readFileSync(opened);
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Files up to this size are compared by what is in them, and shown as a diff where they are text. */
export const comparedBytes = 262_144;
/** How much content one snapshot keeps; files beyond it are compared by size, time and mode. */
const contentLimitBytes = 16 * 1_048_576;
/** How many entries are listed; a larger work directory is cut. */
const entryLimit = 200_000;

/** Folders with too much in them to list; each is one entry, whose path ends with a slash. */
const summarisedFolders: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface Entry {
  readonly kind: 'file' | 'link' | 'other' | 'summary';
  readonly bytes: number;
  readonly mode: number;
  /** Distinguishes versions without reading the file. */
  readonly stamp: string;
  /** Of a small file. */
  readonly content?: Buffer | undefined;
}

/** A work directory at one moment. */
export interface Snapshot {
  readonly entries: ReadonlyMap<BytePath, Entry>;
  /** Whether entries beyond the limit were left out. */
  readonly isCut: boolean;
}

/** Lists everything in a folder; unreadable entries are left out. */
export async function takeSnapshot(directory: string, { keepsContent }: { keepsContent: boolean }): Promise<Snapshot> {
  const walk = new Walk(bytePath(directory), keepsContent ? contentLimitBytes : 0);
  // A link in the place of the work directory would lead to files outside the trial.
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) await walk.folder('');
  return { entries: walk.entries, isCut: walk.isCut };
}

class Walk {
  readonly entries = new Map<BytePath, Entry>();
  readonly #root: BytePath;
  readonly #yielder = new EventLoopYielder();
  #contentRoomBytes: number;

  constructor(root: BytePath, contentRoomBytes: number) {
    this.#root = root;
    this.#contentRoomBytes = contentRoomBytes;
  }

  get isCut(): boolean {
    return this.entries.size >= entryLimit;
  }

  async folder(path: BytePath): Promise<void> {
    for (const entry of entriesOf(`${this.#root}/${path}`)) {
      if (this.isCut) return;
      if (!entry.isDirectory()) this.#add(path + entry.name);
      else if (summarisedFolders.has(entry.name)) this.#summarise(`${path}${entry.name}/`);
      else await this.folder(`${path}${entry.name}/`);
      await this.#yielder.yieldIfDue();
    }
  }

  #summarise(path: BytePath): void {
    const stamp = summaryOf(`${this.#root}/${path}`);
    this.entries.set(path, { kind: 'summary', bytes: 0, mode: 0, stamp });
  }

  #add(path: BytePath): void {
    const file = fileOf(`${this.#root}/${path}`);
    const stats = lookAt(file);
    if (stats === undefined) return;
    const entry = entryOf(file, stats);
    if (entry.kind === 'file' && entry.bytes <= Math.min(comparedBytes, this.#contentRoomBytes)) {
      this.#contentRoomBytes -= entry.bytes;
      this.entries.set(path, { ...entry, content: readFileBytes(file) });
    } else this.entries.set(path, entry);
  }
}

function entryOf(file: Buffer, stats: Stats): Entry {
  const { size: bytes, mode, ino, mtimeMs } = stats;
  const shared = { bytes, mode: mode & 0o7777 };
  if (stats.isFile()) return { kind: 'file', ...shared, stamp: `${ino} ${mtimeMs}` };
  if (stats.isSymbolicLink()) return { kind: 'link', ...shared, stamp: targetOf(file) };
  return { kind: 'other', ...shared, stamp: String(mode & ~0o7777) };
}

function entriesOf(folder: BytePath): Dirent[] {
  try {
    return readdirSync(fileOf(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

/** Undefined for what is gone, or lies where we may not look. */
export function lookAt(file: Buffer): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function targetOf(link: Buffer): string {
  try {
    return readlinkSync(link, { encoding: 'latin1' });
  } catch {
    return '';
  }
}
