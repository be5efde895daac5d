import type { Worker } from 'node:worker_threads';
import {
  type CallAnswer,
  type CallRequest,
  messageOf,
  type WorkerMessage,
  type WorkerSetup,
} from './module-worker-messages.ts';

const closed = -1;

/**
 * Decides between two threads whether a call begins: the worker passes the gate with each call, in order, and the
 * other side may close it. After that it is certain which calls have begun, and that no other will.
 */
export class TurnGate {
  readonly memory: SharedArrayBuffer;
  readonly #lastBegun: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#lastBegun = new Int32Array(memory);
  }

  /** Sequence of the call that began last, 0 before the first. */
  get lastBegun(): number {
    return Atomics.load(this.#lastBegun, 0);
  }

  /** Whether the call may begin. */
  pass(sequence: number): boolean {
    const before = this.lastBegun;
    return before !== closed && Atomics.compareExchange(this.#lastBegun, 0, before, sequence) === before;
  }

  /** Lets no further call begin; gives the sequence of the one that began last. */
  close(): number {
    return Atomics.exchange(this.#lastBegun, 0, closed);
  }
}

/** Events of a thread. */
export interface ThreadEvents {
  onAnswer(answer: CallAnswer): void;
  /** The thread is not blocked: it has passed the wish to stop on to the call. */
  onStopHeard(sequence: number): void;
  /** The thread ended by itself, or its module cannot be loaded. */
  onEnd(thread: ModuleThread, reason: string): void;
}

/** A worker thread with the user's module in it. */
export class ModuleThread {
  readonly #worker: Worker;
  readonly #gate = new TurnGate();
  readonly loading: Promise<void>;
  isLoaded = false;

  constructor(worker: Worker, setup: Omit<WorkerSetup, 'gate'>, events: ThreadEvents) {
    this.#worker = worker;
    worker.postMessage({ ...setup, gate: this.#gate.memory } satisfies WorkerSetup);
    this.loading = new Promise<void>((resolve, reject) => {
      const fail = (reason: string): void => {
        // An error may arrive before the ready message; a call that has begun shows that the thread was ready.
        this.isLoaded ||= this.lastBegun > 0;
        reject(new Error(reason));
        events.onEnd(this, reason);
      };
      this.#worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'answer') events.onAnswer(message);
        else if (message.kind === 'stop-heard') events.onStopHeard(message.sequence);
        else if (message.kind === 'load-failed') fail(message.message);
        else {
          this.isLoaded = true;
          resolve();
        }
      });
      this.#worker.on('error', (thrown: unknown) => fail(`it threw outside a call: ${messageOf(thrown)}`));
      this.#worker.on('exit', (code) => fail(`it ended the process with code ${code}`));
    });
    // The caller that waits for it gets the rejection; a thread that replaces another has no such caller.
    this.loading.catch(() => undefined);
  }

  send(requests: readonly CallRequest[]): void {
    this.#worker.postMessage(requests);
  }

  /** Sequence of the call that began last. */
  get lastBegun(): number {
    return this.#gate.lastBegun;
  }

  /** Lets no further call begin here; gives the sequence of the one that began last. */
  retire(): number {
    return this.#gate.close();
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
