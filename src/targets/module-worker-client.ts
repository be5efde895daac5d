import { Worker } from 'node:worker_threads';
import { AssayError } from '../domain/errors.ts';
import type { CallAnswer, CallRequest, WorkerMessage, WorkerSetup } from './module-worker-messages.ts';

interface PendingCall {
  readonly input: string;
  resolve(answer: CallAnswer): void;
  reject(error: AssayError): void;
}

/** Why a thread ended before its calls did. */
interface Ending {
  readonly code: 'TARGET_CRASHED' | 'TARGET_STOPPED';
  readonly reason: string;
}

/** A thread and whether the user's module has been loaded in it. */
interface LoadingThread {
  readonly worker: Worker;
  readonly loading: Promise<void>;
  isLoaded: boolean;
}

/** Time in which the function must react to its abort signal before its thread is ended. */
const reactionMs = 250;

/**
 * Calls a user's function in a worker thread, so that one that never returns, exits the process or throws out of
 * band ends its own call and not the run. Many calls may be in flight; after the thread was ended, calls that had
 * not begun are sent to a new one.
 */
export class ModuleWorkerClient implements AsyncDisposable {
  readonly #setup: WorkerSetup;
  readonly #pending = new Map<number, PendingCall>();
  #thread: LoadingThread | undefined;
  #nextSequence = 1;
  #outbox: CallRequest[] = [];

  constructor(file: string, exportName: string) {
    this.#setup = { file, exportName, progress: new SharedArrayBuffer(4) };
  }

  /** Resolves when the module is loaded; rejects with the reason why it cannot be. */
  load(): Promise<void> {
    return this.#running().loading;
  }

  call(input: unknown, signal: AbortSignal): Promise<CallAnswer> {
    const sequence = this.#nextSequence++;
    const text = JSON.stringify(input) ?? 'null';
    const stop = (): void => this.#stop(sequence);
    signal.addEventListener('abort', stop, { once: true });
    const answer = new Promise<CallAnswer>((resolve, reject) => {
      this.#pending.set(sequence, { input: text, resolve, reject });
    }).finally(() => {
      signal.removeEventListener('abort', stop);
      this.#pending.delete(sequence);
    });
    this.#send({ kind: 'call', sequence, input: text });
    return answer;
  }

  /** Requests of one turn travel together: waking the other thread costs more than most calls. */
  #send(request: CallRequest): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    setImmediate(() => {
      const requests = this.#outbox;
      this.#outbox = [];
      this.#running().worker.postMessage(requests);
    });
  }

  #running(): LoadingThread {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #start(): LoadingThread {
    const worker = new Worker(new URL('./module-worker.js', import.meta.url), {
      workerData: this.#setup,
      // A limit makes a function that eats all memory end its thread instead of the process.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const loading = new Promise<void>((resolve, reject) => {
      const fail = (reason: string): void => {
        reject(new AssayError('TARGET_NOT_LOADED', `Cannot load ${this.#setup.file}: ${reason}`));
        this.#onEnd(worker, { code: 'TARGET_CRASHED', reason });
      };
      worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'answer') this.#pending.get(message.sequence)?.resolve(message);
        else if (message.kind === 'load-failed') fail(message.message);
        else {
          thread.isLoaded = true;
          resolve();
        }
      });
      worker.on('error', (error) => fail(`it threw outside of a call: ${error.message}`));
      worker.on('exit', (code) => fail(`it ended the process with code ${code}`));
    });
    // Whoever waits in `load` sees the rejection; a thread that was started again has nobody waiting.
    loading.catch(() => undefined);
    const thread: LoadingThread = { worker, loading, isLoaded: false };
    return thread;
  }

  /** Asks a call to stop; when it does not react its thread is ended. */
  #stop(sequence: number): void {
    const worker = this.#thread?.worker;
    worker?.postMessage([{ kind: 'abort', sequence }] satisfies CallRequest[]);
    setTimeout(() => {
      const call = this.#pending.get(sequence);
      if (!call || !worker) return;
      call.reject(new AssayError('TARGET_TIMEOUT', 'The function did not return.'));
      this.#pending.delete(sequence);
      this.#onEnd(worker, { code: 'TARGET_STOPPED', reason: 'another call of this module did not return' });
    }, reactionMs);
  }

  /** Fails the calls that had begun and sends those that had not to a new thread. */
  #onEnd(worker: Worker, { code, reason }: Ending): void {
    if (worker !== this.#thread?.worker) return;
    const { isLoaded } = this.#thread;
    this.#thread = undefined;
    void worker.terminate();
    const lastStarted = Atomics.load(new Int32Array(this.#setup.progress), 0);
    for (const [sequence, call] of [...this.#pending]) {
      if (!isLoaded) call.reject(new AssayError('TARGET_NOT_LOADED', `Cannot load ${this.#setup.file}: ${reason}`));
      else if (sequence <= lastStarted)
        call.reject(new AssayError(code, `The module ended during this call: ${reason}.`));
      else this.#send({ kind: 'call', sequence, input: call.input });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#thread?.worker;
    this.#thread = undefined;
    await worker?.terminate();
  }
}
