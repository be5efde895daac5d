import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { sha256 } from '../../shared/ids.ts';
import { isRecord, parseJson } from '../../shared/json.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface TrustedProject {
  readonly folder: string;
  /** Origins that keys may be sent to. */
  readonly addresses: readonly string[];
}

/**
 * The projects whose code a user has run or agreed to, in a folder of the user: no project can add itself. There is a
 * file for each, so programs that run at the same time lose nothing.
 */
export class TrustedProjects {
  readonly #folder: string;

  constructor(env: Env) {
    const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
    this.#folder = join(state, 'assay', 'trusted-projects');
  }

  /** Whether a folder is a trusted project, or inside one. */
  has(folder: string): boolean {
    return this.#above(folder) !== undefined;
  }

  /** Whether keys may go from a project to an origin. */
  mayReceive(folder: string, origin: string): boolean {
    return this.#above(folder)?.addresses.includes(origin) === true;
  }

  /** Throws where nothing can be written. */
  add(folder: string, addresses: readonly string[] = []): void {
    const path = realPath(folder);
    const before = this.#read(path);
    const all = [...new Set([...(before?.addresses ?? []), ...addresses])];
    if (before && all.length === before.addresses.length) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(path);
    const written = `${file}.${process.pid}`;
    writeFileSync(written, `${JSON.stringify({ folder: path, addresses: all })}\n`, { mode: 0o600 });
    renameSync(written, file);
  }

  /** Whether it was there. */
  remove(folder: string): boolean {
    const path = realPath(folder);
    if (!this.#read(path)) return false;
    rmSync(this.#fileOf(path));
    return true;
  }

  /** The trusted project that a folder is in. */
  #above(folder: string): TrustedProject | undefined {
    for (let at = realPath(folder); ; at = dirname(at)) {
      const found = this.#read(at);
      if (found || dirname(at) === at) return found;
    }
  }

  /** A file that cannot be read trusts nothing. */
  #read(path: string): TrustedProject | undefined {
    try {
      const record = parseJson(readFileSync(this.#fileOf(path), 'utf8'));
      return isTrustedProject(record) && record.folder === path ? record : undefined;
    } catch {
      return undefined;
    }
  }

  #fileOf(path: string): string {
    return join(this.#folder, `${sha256(path)}.json`);
  }
}

function isTrustedProject(record: unknown): record is TrustedProject {
  return isRecord(record) && typeof record.folder === 'string' && Array.isArray(record.addresses);
}

/** Links are followed: a project is one, whatever it is called by. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
