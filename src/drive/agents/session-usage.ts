import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { EmitTrace } from '../../domain/trace.ts';
import { sumOfUsage } from '../../domain/usage.ts';
import type { AgentSession, NoteUsage, RunningUsage } from './agent.ts';
import { type JsonObject, parseJsonObject } from './json-shapes.ts';

/** Adds up requests by their model; a request that is reported again replaces what was known of it. */
class UsageSum {
  readonly #requests = new Map<string, RunningUsage>();

  note(requestId: string, usage: RunningUsage): void {
    this.#requests.set(requestId, usage);
  }

  get byModel(): RunningUsage[] {
    const sums = new Map<string | undefined, RunningUsage>();
    for (const usage of this.#requests.values()) {
      const before = sums.get(usage.model);
      sums.set(usage.model, before === undefined ? usage : { model: usage.model, ...sumOfUsage([before, usage]) });
    }
    return [...sums.values()];
  }
}

/** The files of JSON lines in which an agent writes down its session while it works. */
export interface SessionFiles {
  /** Relative to the agent's home. */
  readonly folder: string;
  isSession(fileName: string): boolean;
  /** Notes the tokens of a line, under an id of the request, or of the session where a line holds the sum. */
  readLine(line: JsonObject, sum: UsageSum, file: string): void;
}

const pollMs = 300;
/** Of one file; a session that is longer than this is not followed to its end. */
const mostBytes = 200_000_000;
const chunkBytes = 1_000_000;

/** Follows the session files of an agent, for agents that print their usage only at their end, or never. */
class SessionFollower implements Disposable {
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
      // One character for each byte, so a character that is cut in two is whole again in the next chunk.
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

/** Finds the usage of an agent in its output, or else in its session files. */
export class UsageWatch {
  readonly #session: AgentSession;
  readonly #follower: SessionFollower | undefined;
  #wasPrinted = false;

  constructor(session: AgentSession, files: SessionFiles | undefined) {
    this.#session = session;
    this.#follower = files && new SessionFollower(session.home, files, (soFar) => session.noteUsage(soFar));
  }

  readonly emit: EmitTrace = (event) => {
    if (event.type === 'usage') this.#wasPrinted = true;
    this.#session.emit(event);
  };

  /** To be called when the agent has ended; an agent that was stopped has often not printed its usage. */
  finish(): void {
    if (!this.#follower) return;
    this.#follower[Symbol.dispose]();
    if (this.#wasPrinted) return;
    this.#follower.catchUp();
    for (const { model, ...usage } of this.#follower.sum.byModel) {
      this.#session.emit({ type: 'usage', seenBy: 'agent', ...(model === undefined ? {} : { model }), ...usage });
    }
  }
}
