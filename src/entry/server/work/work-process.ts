import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { programFile } from '../../../compose/program.ts';
import { AssayError } from '../../../domain/errors.ts';
import { Refusal, type refusalOf } from '../refusal.ts';

/** How a task ended. */
export type TaskAnswer = { readonly result: unknown } | { readonly refusal: ReturnType<typeof refusalOf> };

/** A message of a process: trials that it has read since the last message, pieces of a text, and in the end the answer. */
export type ProcessMessage = { readonly read: number } | { readonly piece: Uint8Array } | TaskAnswer;

/** A message to a process: a task, or that it may send the next piece of a text. */
export type ProcessRequest = { readonly task: unknown } | { readonly more: true };

/** Takes the messages that are not the answer. */
export interface TaskWatch {
  onRead(trials: number): void;
  /** The next piece is made after `more` was called. */
  readonly onPiece?: ((piece: Uint8Array, more: () => void) => void) | undefined;
}

/** Work that needs more ends its process, not the server. Most objects of this work live long: few small collections. */
const limits = ['--max-old-space-size=3072', '--max-semi-space-size=64'];

function tooLarge(): Refusal {
  return new Refusal(413, 'REQUEST_TOO_LARGE', 'This needs more memory than the server has for one request (3 GB).', {
    hint: 'Use `assay compare`, `assay report` or `assay validate` on the command line.',
  });
}

/**
 * A process that does one task after the other. It is not a thread, because a thread that is ended while the database
 * works for it takes the whole server with it.
 */
export class WorkProcess {
  readonly #child: ChildProcess;
  #idleTimer: NodeJS.Timeout | undefined;
  #ended: (() => void) | undefined;

  constructor() {
    const file = join(programFile(), '..', '..', 'dist', 'server-work.js');
    this.#child = fork(file, {
      execArgv: limits,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // A process that could not be started is heard of by its end.
    this.#child.on('error', () => undefined);
    this.#child.once('exit', () => this.#ended?.());
  }

  /** Does a task; rejects when the signal is aborted, and the process must be ended then. */
  async answer(task: unknown, watch: TaskWatch, signal: AbortSignal): Promise<TaskAnswer> {
    clearTimeout(this.#idleTimer);
    const listening = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        this.#listen(watch, listening.signal, resolve, reject);
        this.#send({ task });
        const leave = (): void => reject(signal.reason);
        signal.addEventListener('abort', leave, { signal: listening.signal });
        if (signal.aborted) leave();
      });
    } finally {
      listening.abort();
    }
  }

  #listen(
    { onRead, onPiece }: TaskWatch,
    until: AbortSignal,
    resolve: (answer: TaskAnswer) => void,
    reject: (reason: unknown) => void,
  ): void {
    const hear = (message: ProcessMessage): void => {
      if ('read' in message) onRead(message.read);
      else if ('piece' in message) onPiece?.(message.piece, () => this.#send({ more: true }));
      else resolve(message);
    };
    const end = (_code: number | null, by: NodeJS.Signals | null): void =>
      reject(by === 'SIGABRT' ? tooLarge() : new AssayError('INTERNAL', 'A process ended before its work was done.'));
    this.#child.on('message', hear);
    this.#child.on('close', end);
    until.addEventListener('abort', () => this.#child.off('message', hear).off('close', end));
    if (!this.#isRunning) end(null, null);
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #send(request: ProcessRequest): void {
    // One that has ended takes nothing; its end is heard.
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }

  /** Ends the process unless it is given another task before; `ended` is called when it is of no use any more. */
  rest(ms: number, ended: () => void): void {
    this.#ended = ended;
    this.#idleTimer = setTimeout(() => void this.end(), ms).unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    if (!this.#isRunning) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}
