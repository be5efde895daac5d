import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { EmitTrace } from '../../domain/trace.ts';
import { type ReportedUsage, readReplyUsage, sumOfUsage } from '../../domain/usage.ts';
import type { AgentKind, AgentSession, NoteUsage, RunningUsage } from './agent.ts';
import { ofUsage } from './agent-trace.ts';
import { type JsonObject, parseJsonObject } from './json-shapes.ts';

/** Adds up requests by their model; a request that is reported again replaces what was known of it. */
class UsageSum {
  readonly #requests = new Map<string, RunningUsage>();
  /** Why the sum is not the whole; undefined where it is. */
  problem: string | undefined;

  note(requestId: string, { model, ...reported }: ReportedUsage & { model?: string | undefined }): void {
    const { usage, problem } = readReplyUsage(reported);
    if (problem !== undefined) this.problem = `the tokens in its session cannot be: ${problem}`;
    if (usage) this.#requests.set(requestId, { model, ...usage });
  }

  get byModel(): RunningUsage[] {
    const requests = [...this.#requests.values()];
    const models = new Set(requests.map(({ model }) => model));
    return [...models].map((model) => ({ model, ...sumOfUsage(requests.filter((one) => one.model === model)) }));
  }
}

/** The files of JSON lines in which an agent writes down its session while it works. */
export interface SessionFiles {
  /** Relative to the agent's home. */
  readonly folder: string;
  isSession(fileName: string): boolean;
  /** Notes the tokens of a line, under an id of the request, or of the session where a line holds the sum. */
  readLine(line: JsonObject, sum: UsageSum, at: { readonly file: string; readonly place: string }): void;
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
  readonly #read = new Map<string, { offset: number; lines: number; rest: string }>();
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
    const state = this.#read.get(file) ?? { offset: 0, lines: 0, rest: '' };
    this.#read.set(file, state);
    for (let chunk = chunkOf(file, state.offset); chunk.length > 0; chunk = chunkOf(file, state.offset)) {
      state.offset += chunk.length;
      // One character for each byte, so a character that is cut in two is whole again in the next chunk.
      const lines = (state.rest + chunk.toString('latin1')).split('\n');
      state.rest = lines.pop() ?? '';
      for (const line of lines) {
        const parsed = parseJsonObject(Buffer.from(line, 'latin1').toString('utf8'));
        const place = `${file}:${++state.lines}`;
        if (parsed) this.#files.readLine(parsed, this.sum, { file, place });
        else if (line.trim() !== '') this.sum.problem = 'a line of its session is not JSON';
      }
    }
    if (state.offset >= mostBytes) this.sum.problem = 'its session is too long to be followed';
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
  readonly #isDeclared: boolean;
  #wasEmitted = false;

  constructor(session: AgentSession, files: SessionFiles | undefined, { usage }: AgentKind['reports']) {
    this.#session = session;
    this.#isDeclared = usage === 'live' || usage === 'at-end';
    this.#follower = files && new SessionFollower(session.home, files, (soFar) => session.noteUsage(soFar));
  }

  readonly emit: EmitTrace = (event) => {
    if (event.type === 'usage') this.#wasEmitted = true;
    this.#session.emit(event);
  };

  /** To be called when the agent has ended; an agent that was stopped has often not printed its usage. */
  finish(): void {
    if (!this.#wasEmitted && this.#follower) this.#emitSession(this.#follower);
    this.#follower?.[Symbol.dispose]();
    if (this.#isDeclared && !this.#wasEmitted) this.#lost('the agent reported no tokens');
  }

  #emitSession(follower: SessionFollower): void {
    follower.catchUp();
    for (const { model, ...usage } of follower.sum.byModel)
      this.emit({ type: 'usage', seenBy: 'agent', ...(model === undefined ? {} : { model }), ...usage });
    if (follower.sum.problem !== undefined) this.#lost(follower.sum.problem);
  }

  #lost(reason: string): void {
    this.#session.emit({ type: 'gap', seenBy: 'agent', channels: [...ofUsage], reason });
  }
}
