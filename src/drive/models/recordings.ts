import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import {
  type FinishedCall,
  fileNameStart,
  type RecordedCall,
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

  /** Writes a recording in one step, without the secrets that are known; gives it as it was written. */
  async write(call: FinishedCall): Promise<ReplayableCall> {
    const name = recordingFileName(call.model, call.key);
    const text = this.redact(`${JSON.stringify(call, null, 2)}\n`);
    await writeInOneStep(this.folder, name, text).catch((error: Error) => {
      throw new AssayError('REPLAY_UNWRITABLE', `The recording ${name} cannot be written: ${error.message}.`);
    });
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
      const text = readIfThere(join(this.folder, name), name);
      return text === undefined ? undefined : recordingSchema.safeParse(parseRecording(name, text)).data;
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
    const text = readIfThere(join(this.folder, name), name);
    return text === undefined ? undefined : this.#keep(name, text);
  }

  #keep(name: string, text: string): ReplayableCall {
    const { request: _, ...call } = parseCall(name, text);
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

/** Read at once: handing a small file to another thread takes five times as long as reading it. */
function readIfThere(path: string, name: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadableRecording(name, message);
  }
}

/** Writes a file whole or not at all; the folders that it lies in are made. */
export async function writeInOneStep(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${basename(name)}.${randomUUID()}`);
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function parseCall(name: string, text: string): RecordedCall {
  const parsed = recordedCallSchema.safeParse(parseRecording(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadableRecording(name, `\`${issue?.path.join('.')}\` is not as recorded: ${issue?.message}`);
}

/** The content of a recording. */
export function parseRecording(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableRecording(name, error instanceof Error ? error.message : String(error));
  }
}

export function unreadableRecording(name: string, reason: string): AssayError {
  return new AssayError('REPLAY_UNREADABLE', `The recording ${name} cannot be read: ${reason}.`);
}
