import { Worker } from 'node:worker_threads';

/**
 * Starts the threads that modules run in. One can be started beforehand, because a thread takes as long to start as
 * the rest of the program takes to load.
 */
export class Threads implements AsyncDisposable {
  #spare: Worker | undefined;

  /** Starts a thread for the first module; it does not keep the process alive when there is none. */
  prepare(): void {
    this.#spare ??= startWorker();
    this.#spare.unref();
  }

  start(): Worker {
    const worker = this.#spare ?? startWorker();
    this.#spare = undefined;
    worker.ref();
    return worker;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spare?.terminate();
  }
}

function startWorker(): Worker {
  return new Worker(new URL('./module-worker.js', import.meta.url), {
    // A limit makes a function that eats all memory end its thread instead of the process.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}
