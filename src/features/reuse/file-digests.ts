import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { grouped } from '../../shared/format.ts';
import { sha256 } from '../../shared/ids.ts';

/** Larger folders are not hashed before every trial. */
export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
}

const usualLimits: TreeLimits = { files: 20_000, bytes: 512_000_000 };

/** Written by Assay, by Git or by an interpreter from sources that are hashed themselves. */
const derivedFolders: ReadonlySet<string> = new Set(['.assay', '.git', '__pycache__']);

interface HashedFile {
  readonly stamp: string;
  readonly digest: Promise<string>;
}

/** SHA-256 of files and folders. A file is read again only after its size, times or inode changed. */
export class FileDigests {
  readonly #files = new Map<string, HashedFile>();
  readonly #limits: TreeLimits;

  constructor(limits: TreeLimits = usualLimits) {
    this.#limits = limits;
  }

  /** Digest of a file, or of all files below a folder; links are followed. Throws where something cannot be read. */
  async of(path: string): Promise<string> {
    const entry = await stat(path, { bigint: true });
    if (!entry.isDirectory()) return this.#file(path, entry);
    const lines: string[] = [];
    await this.#folder(path, '', { lines, left: { ...this.#limits }, visited: new Set() });
    return sha256(lines.join('\n'));
  }

  async #folder(folder: string, name: string, walk: Walk): Promise<void> {
    const real = await realpath(folder);
    // A link back to a folder above would never end.
    if (walk.visited.has(real)) return;
    walk.visited.add(real);
    const names = (await readdir(folder)).sort();
    for (const inside of names) {
      if (derivedFolders.has(inside)) continue;
      await this.#entry(join(folder, inside), name === '' ? inside : `${name}/${inside}`, walk);
    }
  }

  async #entry(path: string, name: string, walk: Walk): Promise<void> {
    const entry = await stat(path, { bigint: true }).catch(() => undefined);
    if (!entry) {
      walk.lines.push(JSON.stringify([name, 'dangling', await readlink(path)]));
      return;
    }
    if (entry.isDirectory()) return this.#folder(path, name, walk);
    // Sockets, pipes and devices have no content to compare.
    if (!entry.isFile()) return;
    this.#take(walk, Number(entry.size));
    walk.lines.push(JSON.stringify([name, Number(entry.mode) & 0o777, await this.#file(path, entry)]));
  }

  #take({ left }: Walk, bytes: number): void {
    left.files -= 1;
    left.bytes -= bytes;
    if (left.files >= 0 && left.bytes >= 0) return;
    const { files, bytes: most } = this.#limits;
    throw new Error(`it has more than ${grouped(files)} files or ${grouped(most / 1_000_000)} MB`);
  }

  #file(path: string, { size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): Promise<string> {
    const stamp = [size, mtimeNs, ctimeNs, ino, dev].join(' ');
    const hashed = this.#files.get(path);
    if (hashed?.stamp === stamp) return hashed.digest;
    const digest = contentDigest(path);
    this.#files.set(path, { stamp, digest });
    digest.catch(() => this.#files.delete(path));
    return digest;
  }
}

interface Walk {
  readonly lines: string[];
  readonly left: { files: number; bytes: number };
  readonly visited: Set<string>;
}

async function contentDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
