import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { ownProcess, processExists } from '../../shared/processes/own-process.ts';
import type { ProcessIdentity } from '../../shared/processes/process-identity.ts';
import { copyTree } from './copy-tree.ts';
import { roomFolders } from './grader-room.ts';
import { cleanRoomBase, roomBases } from './room-base.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const roomPrefix = 'assay-room-';
const ownerFile = 'owner.json';
const onlyOwner = 0o700;
/** An empty room that is older than this belongs to a process that was killed while it made the room. */
const abandonedAfterMs = 3_600_000;

interface RoomRequest {
  readonly env: Environment;
  /** Absolute: folders that must not contain the room. */
  readonly projects: readonly string[];
  /** Absolute: where the trial's folder is kept afterwards; nothing is there yet. */
  readonly keptAt: string;
}

/**
 * A temporary folder outside the project in which one trial works. Nothing above it gives instructions to agents, and
 * no Git repository contains it.
 */
export class TrialDirectory {
  /** Absolute: the trial's folder, with its work directory, HOME and results, until it is kept. */
  readonly folder: string;
  /** Absolute: for files that the agent must not reach. */
  readonly privateFolder: string;
  /** Absolute: for what graders use, which the agent must not have touched. */
  readonly graderFolder: string;
  readonly #root: string;
  readonly #keptAt: string;
  #isSettled = false;

  private constructor(root: string, keptAt: string) {
    this.#root = root;
    this.#keptAt = keptAt;
    this.folder = join(root, 'trial');
    this.privateFolder = join(root, 'private');
    this.graderFolder = join(root, 'grader');
  }

  static open({ env, projects, keptAt }: RoomRequest): TrialDirectory {
    const root = newRoom({ env, projects });
    try {
      makeRoom(root);
      const room = new TrialDirectory(root, keptAt);
      for (const path of [room.folder, room.privateFolder]) mkdirSync(path, onlyOwner);
      return room;
    } catch (error) {
      throw new AssayError('WORKSPACE_FAILED', `The folder ${root} of the trial cannot be made: ${messageOf(error)}.`, {
        cause: error,
        hint: `Check that ${dirname(root)} is writable and has space left.`,
      });
    }
  }

  /** Puts the private files into the trial's folder, over whatever the agent left in their places. */
  publish(): void {
    this.#repair();
    if (!isFolder(this.folder) || !isFolder(this.privateFolder)) return;
    for (const name of readdirSync(this.privateFolder)) {
      const place = join(this.folder, name);
      rmSync(place, { recursive: true, force: true });
      renameSync(join(this.privateFolder, name), place);
    }
  }

  /**
   * Moves the trial's folder to where it is kept, and removes the room. Where that fails, nothing is lost: the room stays,
   * and the error names it.
   */
  async settle(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    try {
      this.publish();
      if (!isFolder(this.folder)) throw new Error('the agent removed or replaced the folder');
      this.#addResults();
      await mkdir(dirname(this.#keptAt), { recursive: true });
      await moveFolder(this.folder, this.#keptAt);
    } catch (error) {
      await this.#stay();
      throw new AssayError(
        'WORKSPACE_FAILED',
        `The files of the trial could not be moved to ${this.#keptAt}: ${messageOf(error)}. They are in ${this.#root}.`,
        { cause: error },
      );
    }
    await rm(this.#root, { recursive: true, force: true }).catch(() => undefined);
  }

  /** Removes the room with everything in it. */
  async discard(): Promise<void> {
    this.#isSettled = true;
    await rm(this.#root, { recursive: true, force: true }).catch(() => undefined);
  }

  /** Adds what graders left for the artifacts; nothing of the trial is replaced. */
  #addResults(): void {
    const { results } = roomFolders(this.graderFolder);
    if (!isFolder(results)) return;
    for (const name of readdirSync(results)) {
      const place = join(this.folder, name);
      if (!existsSync(place)) renameSync(join(results, name), place);
    }
  }

  /** A room without an owner is not removed with those of ended processes. */
  async #stay(): Promise<void> {
    await rm(join(this.#root, ownerFile), { force: true }).catch(() => undefined);
  }

  /** An agent without isolation can take permissions from its folders that moving them needs. */
  #repair(): void {
    for (const path of [this.#root, this.folder]) {
      if (isFolder(path) && (statSync(path).mode & onlyOwner) !== onlyOwner) chmodSync(path, onlyOwner);
    }
  }
}

/** Absolute path of a room outside the projects, which is not made yet. */
function newRoom({ env, projects }: Omit<RoomRequest, 'keptAt'>): string {
  return join(cleanRoomBase(env, projects), `${roomPrefix}${randomBytes(12).toString('hex')}`);
}

function makeRoom(root: string): void {
  mkdirSync(root, onlyOwner);
  writeFileSync(join(root, ownerFile), JSON.stringify(ownProcess()), { mode: 0o600 });
}

/** A folder for files that go with a trial; where this process is killed, a later one removes it like a room. */
export function scratchRoom(request: Omit<RoomRequest, 'keptAt'>): string {
  const root = newRoom(request);
  makeRoom(root);
  return root;
}

async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    try {
      await copyTree(from, to, { isFresh: true, skipsFolder: () => false });
    } catch (reason) {
      await rm(to, { recursive: true, force: true });
      throw reason;
    }
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Removes the rooms that killed processes of this machine left behind; returns how many. */
export async function removeAbandonedRooms(env: Environment): Promise<number> {
  let removed = 0;
  for (const base of roomBases(env)) {
    const names = await readdir(base).catch(() => []);
    for (const name of names.filter((entry) => entry.startsWith(roomPrefix))) {
      if (await removeIfAbandoned(join(base, name))) removed++;
    }
  }
  return removed;
}

async function removeIfAbandoned(root: string): Promise<boolean> {
  const stats = lstatSync(root, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) return false;
  const owner = await ownerOf(root);
  try {
    if (owner === undefined) {
      if (Date.now() - stats.mtimeMs < abandonedAfterMs) return false;
      // Fails for a room whose files could not be moved: they are all that is left of a trial.
      await rmdir(root);
      return true;
    }
    if (processExists(owner) !== false) return false;
    await rm(root, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

async function ownerOf(root: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(join(root, ownerFile), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
