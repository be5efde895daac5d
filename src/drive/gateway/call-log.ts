import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace, UnstampedEvent } from '../../domain/trace.ts';
import { tokensText } from '../../domain/usage.ts';
import { formatDuration } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

/** Logs the calls of a program: a line for people, and all events as JSON lines where they are kept. */
export class CallLog implements AsyncDisposable {
  readonly #file: WriteStream | undefined;
  readonly #print: (line: string) => void;
  #call: string | undefined;

  private constructor(file: WriteStream | undefined, print: (line: string) => void) {
    this.#file = file;
    this.#print = print;
  }

  /** Without a folder nothing is written. */
  static async open(folder: string | undefined, print: (line: string) => void): Promise<CallLog> {
    if (folder === undefined) return new CallLog(undefined, print);
    try {
      await mkdir(folder, { recursive: true });
      const file = createWriteStream(join(folder, 'calls.jsonl'), { flags: 'a', mode: 0o600 });
      await new Promise((resolve, reject) => file.once('open', resolve).once('error', reject));
      return new CallLog(file, print);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AssayError('OUTPUT_UNWRITABLE', `The folder ${folder} cannot be written: ${reason}.`);
    }
  }

  readonly emit: EmitTrace = (event) => {
    this.#file?.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
    const line = this.#lineOf(event);
    if (line !== undefined) this.#print(printable(line));
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    if (!this.#file) return;
    this.#file.end();
    await finished(this.#file).catch(() => undefined);
  }

  /** Tokens follow their call, and go on its line. */
  #lineOf(event: UnstampedEvent): string | undefined {
    if (event.type === 'usage') {
      const cost = event.costUsd === undefined ? '' : `, $${event.costUsd.toFixed(4)}`;
      const line = `${this.#call ?? ''}, ${tokensText(event)}${cost}`;
      this.#call = undefined;
      return line;
    }
    this.#flush();
    if (event.type === 'notice') return event.message;
    if (event.type !== 'model-call') return undefined;
    const { number, api, model, status, error, durationMs } = event;
    const head = `${number} ${api} ${model}: ${error?.message ?? `HTTP ${status}`} in ${formatDuration(durationMs)}`;
    if (error) return head;
    this.#call = head;
    return undefined;
  }

  #flush(): void {
    if (this.#call !== undefined) this.#print(printable(this.#call));
    this.#call = undefined;
  }
}
