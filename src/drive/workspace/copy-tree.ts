import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { type BytePath, bytePath, fileOf } from './byte-path.ts';
import { EventLoopYielder } from './event-loop-yielder.ts';

/** For a smaller file, writing it is faster than trying to share its blocks. */
const smallBytes = 65_536;
/** A larger file takes so long to copy that others must not wait for it. */
const largeBytes = 1_048_576;
/** Unit in which file systems count what a file takes. */
const blockBytes = 512;
const permissionBits = 0o7777;
const ownerMayFill = 0o700;

interface CopyOptions {
  /** Whether there is nothing yet where the copy goes. */
  readonly isFresh?: boolean;
  /** Folders that are left out, by their path in the tree and their name. */
  readonly skipsFolder: (path: BytePath, name: BytePath) => boolean;
  /** Whether links are left out too. */
  readonly skipsLinks?: boolean;
  /** Absolute path under which the tree was made; links that lead there lead to the same place in the copy. */
  readonly formerRoot?: string | undefined;
}

/**
 * Lays a copy of a folder's content over another folder, sharing blocks where the file system can. Links stay links;
 * one that leads by its full path to a place in the tree leads to the same place in the copy. Sockets, pipes and
 * devices are left out.
 */
export async function copyTree(from: string, to: string, options: CopyOptions): Promise<void> {
  await new TreeCopy(bytePath(from), bytePath(to), options).folder('');
}

/** Copies one file or link, over whatever is there. */
export async function copyEntry(from: string, to: string): Promise<void> {
  const copy = new TreeCopy(bytePath(from), bytePath(to), { skipsFolder: () => false });
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) copy.link('');
  else await copy.file('', stats);
}

class TreeCopy {
  readonly #from: BytePath;
  readonly #to: BytePath;
  readonly #options: CopyOptions;
  readonly #roots: readonly BytePath[];
  readonly #yielder = new EventLoopYielder();

  constructor(from: BytePath, to: BytePath, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#roots = [from, ...(options.formerRoot === undefined ? [] : [bytePath(options.formerRoot)])];
  }

  async folder(path: BytePath): Promise<void> {
    const mode = lstatSync(fileOf(this.#from + path)).mode & permissionBits;
    this.#makeFolder(path);
    for (const entry of readdirSync(fileOf(this.#from + path), { withFileTypes: true, encoding: 'latin1' })) {
      await this.#entry(path, entry);
      await this.#yielder.yieldIfDue();
    }
    // Last, because a read-only folder could not have been filled.
    if (path !== '') chmodSync(fileOf(this.#to + path), mode);
  }

  async #entry(parent: BytePath, entry: Dirent): Promise<void> {
    const path = `${parent}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!this.#options.skipsFolder(path, entry.name)) await this.folder(path);
    } else if (entry.isSymbolicLink() && !this.#options.skipsLinks) this.link(path);
    else if (entry.isFile()) await this.file(path, lstatSync(fileOf(this.#from + path)));
  }

  async file(path: BytePath, { size, mode, blocks }: Stats): Promise<void> {
    const [source, copy] = [fileOf(this.#from + path), fileOf(this.#to + path)];
    this.#makeRoom(copy);
    if (size <= smallBytes) copySmallFile(source, copy, mode & permissionBits);
    else if (size > largeBytes) await copyLargeFile(source, copy, blocks * blockBytes < size / 2);
    else copyFileSync(source, copy, constants.COPYFILE_FICLONE);
  }

  link(path: BytePath): void {
    const target = readlinkSync(fileOf(this.#from + path), { encoding: 'latin1' });
    const root = this.#roots.find((folder) => target === folder || target.startsWith(`${folder}/`));
    const copy = fileOf(this.#to + path);
    this.#makeRoom(copy);
    symlinkSync(fileOf(root === undefined ? target : this.#to + target.slice(root.length)), copy);
  }

  /** A file must not be written through a link that is in its place, which may lead anywhere. */
  #makeRoom(copy: Buffer): void {
    if (this.#options.isFresh) return;
    if (lstatSync(copy, { throwIfNoEntry: false })) rmSync(copy, { recursive: true });
  }

  #makeFolder(path: BytePath): void {
    const copy = fileOf(this.#to + path);
    const there = lstatSync(copy, { throwIfNoEntry: false });
    if (there?.isDirectory()) chmodSync(copy, (there.mode & permissionBits) | ownerMayFill);
    else {
      if (there) rmSync(copy);
      mkdirSync(copy, ownerMayFill);
    }
  }
}

function copySmallFile(source: Buffer, copy: Buffer, mode: number): void {
  const content = readFileSync(source);
  const file = openSync(copy, 'wx', ownerMayFill);
  try {
    writeFileSync(file, content);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

/** Filling the holes of a file that is larger than the space it takes could fill the disk; Node.js would fill them. */
async function copyLargeFile(source: Buffer, copy: Buffer, hasHoles: boolean): Promise<void> {
  if (hasHoles && (await copyWithHoles(source, copy))) return;
  await copyFile(source, copy, constants.COPYFILE_FICLONE);
}

/** False where the machine has no program for it. It gets descriptors, because the name of a file need not be a text. */
async function copyWithHoles(source: Buffer, copy: Buffer): Promise<boolean> {
  const [from, to] = [openSync(source, 'r'), openSync(copy, 'wx', ownerMayFill)];
  try {
    const streams = ['ignore', 'ignore', 'ignore', from, to] as const;
    const program = spawn('cp', ['--sparse=always', '/dev/fd/3', '/dev/fd/4'], { stdio: [...streams] });
    const [exitCode] = await once(program, 'exit');
    fchmodSync(to, fstatSync(from).mode & permissionBits);
    return exitCode === 0;
  } catch {
    return false;
  } finally {
    closeSync(from);
    closeSync(to);
  }
}
