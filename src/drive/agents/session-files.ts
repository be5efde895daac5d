import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { NoteUsage } from './agent.ts';
import { type JsonObject, parseJsonObject } from './json-shapes.ts';
import { UsageSum } from './running-usage.ts';

/** The files of JSON lines in which an agent writes down its session while it works. */
export interface SessionFiles {
  /** Relative to the agent's home. */
  readonly folder: string;
  isSession(fileName: string): boolean;
  /** Notes what a line tells of tokens, under an id of the request, or of the session where a line tells the sum. */
  readLine(line: JsonObject, sum: UsageSum, file: string): void;
}

const pollMs = 300;
/** Of one file; a session that is longer than this is not followed to its end. */
const mostBytes = 200_000_000;
const chunkBytes = 1_000_000;

/** Follows the session files of an agent, for those that print what they used only at their end, or never. */
export class SessionFollower implements Disposable {
  readonly #home: string;
  readonly #files: SessionFiles;
  readonly #note: NoteUsage;
  readonly #read = new Map<string, { offset: number; rest: string }>();
  readonly #timer: NodeJS.Timeout;
  readonly sum = new UsageSum();

  constructor(home: string, files: SessionFiles, note: NoteUsage) {
    this.#home = home;
    this.#files = files;
    this.#note = note;
    this.#timer = setInterval(() => this.catchUp(), pollMs);
    this.#timer.unref();
  }

  /** Reads what was written since the last time. */
  catchUp(): void {
    const folder = join(this.#home, this.#files.folder);
    for (const file of this.#sessionsIn(folder)) this.#readOn(file);
    this.#note(this.sum.byModel);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Links are left alone: the agent may have made them. */
  #sessionsIn(folder: string): string[] {
    try {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && this.#files.isSession(entry.name));
      return files.map((entry) => join(entry.parentPath, entry.name));
    } catch {
      return [];
    }
  }

  #readOn(file: string): void {
    const state = this.#read.get(file) ?? { offset: 0, rest: '' };
    this.#read.set(file, state);
    for (let chunk = chunkOf(file, state.offset); chunk.length > 0; chunk = chunkOf(file, state.offset)) {
      state.offset += chunk.length;
      // One character for each byte, so that a character that is cut in two is whole again in the next chunk.
      const lines = (state.rest + chunk.toString('latin1')).split('\n');
      state.rest = lines.pop() ?? '';
      for (const line of lines) {
        const parsed = parseJsonObject(Buffer.from(line, 'latin1').toString('utf8'));
        if (parsed) this.#files.readLine(parsed, this.sum, file);
      }
    }
  }
}

function chunkOf(file: string, offset: number): Buffer {
  if (offset >= mostBytes) return Buffer.alloc(0);
  try {
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(chunkBytes);
      return bytes.subarray(0, readSync(handle, bytes, 0, chunkBytes, offset));
    } finally {
      closeSync(handle);
    }
  } catch {
    return Buffer.alloc(0);
  }
}
