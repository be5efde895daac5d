import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace, UnstampedEvent } from '../../domain/trace.ts';
import { tokensText } from '../../domain/usage.ts';
import { formatDuration } from '../../shared/format.ts';
import { GrowingFile } from '../../shared/redacted-files.ts';
import { redactedText } from '../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';
import { printable } from '../../shared/text.ts';

/** Logs the calls of a program: a line for people, and all events as JSON lines where they are kept. */
export class CallLog implements Disposable {
  readonly #file: GrowingFile | undefined;
  readonly #redact: Redact;
  readonly #print: (line: string) => void;
  #call: string | undefined;

  private constructor(file: GrowingFile | undefined, redact: Redact, print: (line: string) => void) {
    this.#file = file;
    this.#redact = redact;
    this.#print = (line) => print(printable(redact(line)));
  }

  /** Without a folder nothing is written. */
  static open(folder: string | undefined, redact: Redact, print: (line: string) => void): CallLog {
    if (folder === undefined) return new CallLog(undefined, redact, print);
    try {
      return new CallLog(GrowingFile.continue(join(folder, 'calls.jsonl')), redact, print);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AssayError('OUTPUT_UNWRITABLE', `The folder ${folder} cannot be written: ${reason}.`);
    }
  }

  readonly emit: EmitTrace = (event) => {
    const stamped = { time: new Date().toISOString(), ...event };
    this.#file?.write(redactedText`${redactedJson(stamped, this.#redact)}\n`);
    const line = this.#lineOf(event);
    if (line !== undefined) this.#print(line);
  };

  [Symbol.dispose](): void {
    this.#flush();
    this.#file?.[Symbol.dispose]();
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
    if (this.#call !== undefined) this.#print(this.#call);
    this.#call = undefined;
  }
}
