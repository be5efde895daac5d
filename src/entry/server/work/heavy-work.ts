import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../../compose/program.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { Refusal, type refusalOf } from '../refusal.ts';
import type { HeavyResults, HeavyTask } from './heavy-task.ts';

/** The message of a thread. */
export type TaskAnswer =
  | { readonly result: HeavyResults[HeavyTask['kind']] }
  | { readonly refusal: ReturnType<typeof refusalOf> };

/** Each may take some hundred megabytes; further tasks wait. */
const mostThreads = 2;

/** Work of the server that would keep other requests waiting: done in threads, a few at a time. */
export class HeavyWork {
  readonly #signal: AbortSignal;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Threads are ended with the signal. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async run<Kind extends HeavyTask['kind']>(task: HeavyTask & { readonly kind: Kind }): Promise<HeavyResults[Kind]> {
    if (this.#running >= mostThreads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      const answer = await answerOf(task, this.#signal);
      if ('result' in answer) return answer.result as HeavyResults[Kind];
      const { status, body } = answer.refusal;
      const { error, code, hint, ...details } = body;
      throw new Refusal(status, code, error, { hint, details });
    } finally {
      // The place goes to the next that waits.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Work that needs more ends its thread, not the server. Most objects of this work live long: few small collections. */
const resourceLimits = { maxOldGenerationSizeMb: 3_072, maxYoungGenerationSizeMb: 192 };

function tooLarge(): Refusal {
  return new Refusal(413, 'REQUEST_TOO_LARGE', 'This needs more memory than the server has for one request (3 GB).', {
    hint: 'Use `assay compare` or `assay validate` on the command line.',
  });
}

async function answerOf(task: HeavyTask, signal: AbortSignal): Promise<TaskAnswer> {
  signal.throwIfAborted();
  const worker = new Worker(join(programFile(), '..', '..', 'dist', 'server-work.js'), {
    workerData: task,
    resourceLimits,
  });
  const end = (): void => void worker.terminate();
  signal.addEventListener('abort', end);
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error),
      );
      worker.once('exit', () => reject(new AssayError('INTERNAL', 'The thread ended before its work was done.')));
    });
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

/** With more trials, other requests would wait for the work. */
const mostTrialsHere = 5_000;

/** A store in memory is reached by its own process only. */
export function isLarge(runs: readonly RunHeader[], { storeUrl }: { readonly storeUrl: string }): boolean {
  return !storeUrl.includes(':memory:') && runs.some(({ planned }) => planned > mostTrialsHere);
}
