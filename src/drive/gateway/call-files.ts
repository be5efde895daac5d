import { join } from 'node:path';
import type { TraceEventOf } from '../../domain/trace.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';

const mostBytes = 64 * 1024 * 1024;

type KeptFiles = NonNullable<TraceEventOf<'model-call'>['files']>;

/** Keeps the redacted bodies of calls as files in the folder of a trial, up to a total size. */
export class CallFiles {
  readonly #folder: string;
  readonly #redact: Redact;
  #bytes = 0;
  #notKept = 0;
  #problem: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, redact: Redact) {
    this.#folder = folder;
    this.#redact = redact;
  }

  /** Starts to write the bodies; gives their names relative to the folder, or undefined where there is no room. */
  keep(number: number, request: string, reply: string | undefined, replyExtension: 'json' | 'sse' | 'txt') {
    const bytes = Buffer.byteLength(request) + Buffer.byteLength(reply ?? '');
    if (this.#bytes + bytes > mostBytes) {
      this.#notKept++;
      return undefined;
    }
    this.#bytes += bytes;
    const name = String(number).padStart(4, '0');
    const files: KeptFiles = {
      request: `model-calls/${name}.request.json`,
      ...(reply === undefined ? {} : { reply: `model-calls/${name}.reply.${replyExtension}` }),
    };
    this.#writing = this.#writing.then(async () => {
      await this.#write(files.request, request);
      if (files.reply !== undefined) await this.#write(files.reply, reply ?? '');
    });
    return files;
  }

  /** Waits until everything is written; gives what is missing. */
  async finish(): Promise<string[]> {
    await this.#writing;
    const cut = `The bodies of ${this.#notKept} model calls were not kept: those before them fill ${mostBytes / 2 ** 20} MB.`;
    const failed = `Bodies of model calls could not be written: ${this.#problem}`;
    return [...(this.#notKept > 0 ? [cut] : []), ...(this.#problem === undefined ? [] : [failed])];
  }

  async #write(name: string, text: string): Promise<void> {
    try {
      await writeWhole(join(this.#folder, name), this.#redact(text));
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : String(error);
    }
  }
}
