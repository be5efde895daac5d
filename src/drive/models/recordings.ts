import { readdir } from 'node:fs/promises';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import { parseTape, readTape, writeTape } from '../tape/tape-file.ts';
import {
  type FinishedCall,
  fileNameStart,
  type Recording,
  type ReplayableCall,
  recordedCallSchema,
  recordingFileName,
  recordingSchema,
} from './recording.ts';

const defaultKeptCharacters = 4_000_000;
/** Most recordings that are compared to explain a miss. */
const mostCompared = 100;

/** A folder of recorded calls, one readable file each; files are read on demand. */
export class Recordings {
  readonly folder: string;
  readonly redact: Redact;
  /** The last read ones, oldest first. */
  readonly #kept = new Map<string, { readonly call: ReplayableCall; readonly size: number }>();
  #keptSize = 0;
  readonly #keptCharacters: number;

  /** No more than `keptCharacters` of recorded text stay in memory, whatever the size of the folder. */
  constructor(folder: string, redact: Redact, keptCharacters: number = defaultKeptCharacters) {
    this.folder = folder;
    this.redact = redact;
    this.#keptCharacters = keptCharacters;
  }

  /** The recording of a call; undefined when there is none. */
  find(model: string, key: string): ReplayableCall | undefined {
    const call = this.#read(recordingFileName(model, key));
    return call?.key === key ? call : undefined;
  }

  /** Writes a recording in one step, without secrets; gives it as it was written. */
  async write(call: FinishedCall): Promise<ReplayableCall> {
    const name = recordingFileName(call.model, call.key);
    const { request, reply, ...identity } = call;
    const clean = redactDeep({ request, reply }, this.redact);
    const text = `${JSON.stringify({ ...identity, ...clean }, null, 2)}\n`;
    await writeTape(this.folder, name, text);
    return this.#keep(name, text);
  }

  /** Some recordings of a model, or of all models when it has none. */
  async near(model: string): Promise<Recording[]> {
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => /^[^.].*\.json$/.test(name)).sort();
    const start = fileNameStart(model);
    const ofModel = names.filter(
      (name) => name.startsWith(start) && /^[0-9a-f]{12}\.json$/.test(name.slice(start.length)),
    );
    const chosen = (ofModel.length > 0 ? ofModel : names).slice(0, mostCompared);
    return chosen.flatMap((name) => this.#readUsable(name) ?? []);
  }

  /** A file that cannot be read is skipped. */
  #readUsable(name: string): Recording | undefined {
    try {
      const text = readTape(this.folder, name);
      return text === undefined ? undefined : parseTape(name, text, recordingSchema);
    } catch {
      return undefined;
    }
  }

  #read(name: string): ReplayableCall | undefined {
    const kept = this.#kept.get(name);
    if (kept) {
      // Put back at the end, because the ones at the beginning are forgotten first.
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept.call;
    }
    const text = readTape(this.folder, name);
    return text === undefined ? undefined : this.#keep(name, text);
  }

  #keep(name: string, text: string): ReplayableCall {
    const { request: _, ...call } = parseTape(name, text, recordedCallSchema);
    this.#forget(name);
    this.#kept.set(name, { call, size: text.length });
    this.#keptSize += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptSize <= this.#keptCharacters) break;
      this.#forget(oldest);
    }
    return call;
  }

  #forget(name: string): void {
    this.#keptSize -= this.#kept.get(name)?.size ?? 0;
    this.#kept.delete(name);
  }
}
