import { basename } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialClock } from '../../pacing/clock.ts';
import type { StopRequest } from '../target.ts';
import { ModuleThread, type ThreadEvents } from './module-thread.ts';
import type { CallAnswer, WorkerSetup } from './module-worker-messages.ts';
import type { Threads } from './threads.ts';

interface PendingCall {
  readonly sequence: number;
  readonly input: string;
  /** Undefined while the call waits to be sent. */
  thread: ModuleThread | undefined;
  /** True when the thread has taken note that the call should stop, which a blocked one cannot. */
  isStopHeard: boolean;
  resolve(answer: CallAnswer): void;
  reject(error: AssayError): void;
}

/** Time in which the function must react to its abort signal before it is given up. */
const reactionMs = 250;
/** Time after which a call that keeps others from beginning is left alone with its thread. */
const patienceMs = 500;
/** Time that a request waits at most for others to travel with it. */
const longestWaitMs = 1;

/**
 * Calls a user's function in a worker thread, where one that never returns, exits the process or throws out of
 * band ends its own call and not the run. Many calls may be in flight; those that have not begun when their thread
 * is blocked or ends go on in a new one.
 */
export class ModuleWorkerClient implements AsyncDisposable {
  readonly #startThread: () => ModuleThread;
  readonly #file: string;
  /** In the order of their sequence, which is also the order in which they begin. */
  readonly #pending = new Map<number, PendingCall>();
  /** Threads in which nothing begins any more; each is ended with the last of its calls. */
  readonly #retired = new Set<ModuleThread>();
  readonly #patience: NodeJS.Timeout;
  #current: ModuleThread | undefined;
  #unsent = 0;
  #sendDue: NodeJS.Immediate | undefined;
  #sendLatest: NodeJS.Timeout | undefined;
  #nextSequence = 1;
  #firstWaiting: number | undefined;

  constructor(threads: Threads, file: string, exportName: string, call: Pick<WorkerSetup, 'code' | 'parameters'> = {}) {
    const events: ThreadEvents = {
      onAnswer: (answer) => this.#pending.get(answer.sequence)?.resolve(answer),
      onStopHeard: (sequence) => {
        const call = this.#pending.get(sequence);
        if (call) call.isStopHeard = true;
      },
      onEnd: (thread, reason) => this.#end(thread, 'TARGET_CRASHED', reason),
    };
    this.#file = file;
    this.#startThread = () => new ModuleThread(threads.start(), { file, exportName, ...call }, events);
    this.#patience = setInterval(() => this.#leaveBlockedThread(), patienceMs).unref();
  }

  /** Resolves when the module is loaded; rejects with the reason why it cannot be. */
  async load(): Promise<void> {
    await this.#running().loading.catch((error: Error) => {
      throw this.#notLoaded(error.message);
    });
  }

  /** The time between the threads and in the queue of this one is left out of the clock. */
  call(input: unknown, stop: StopRequest, clock?: Pick<TrialClock, 'leaveOut'>): Promise<CallAnswer> {
    const began = performance.now();
    const sequence = this.#nextSequence++;
    const text = JSON.stringify(input) ?? 'null';
    return new Promise<CallAnswer>((resolve, reject) => {
      this.#pending.set(sequence, {
        sequence,
        input: text,
        thread: undefined,
        isStopHeard: false,
        resolve: (answer) => {
          this.#forget(sequence);
          clock?.leaveOut(performance.now() - began - answer.durationMs);
          resolve(answer);
        },
        reject: (error) => {
          this.#forget(sequence);
          reject(error);
        },
      });
      stop.onStop(() => this.#stop(sequence));
      this.#sendSoon();
    });
  }

  #running(): ModuleThread {
    this.#current ??= this.#startThread();
    return this.#current;
  }

  /**
   * Requests travel together, because waking the other thread costs more than most calls: they wait until there are as
   * many as the thread still has to do, but not for long.
   */
  #sendSoon(): void {
    this.#unsent++;
    if (2 * this.#unsent >= this.#pending.size) this.#sendDue ??= setImmediate(() => this.#send());
    else this.#sendLatest ??= setTimeout(() => this.#send(), longestWaitMs);
  }

  #send(): void {
    clearImmediate(this.#sendDue);
    clearTimeout(this.#sendLatest);
    this.#sendDue = this.#sendLatest = undefined;
    this.#unsent = 0;
    const unsent = [...this.#pending.values()].filter((call) => call.thread === undefined);
    if (unsent.length === 0) return;
    const thread = this.#running();
    for (const call of unsent) call.thread = thread;
    thread.send(unsent.map(({ sequence, input }) => ({ kind: 'call', sequence, input })));
  }

  /** Asks a call to stop; one that does not react is given up, and its thread is ended when it is blocked. */
  #stop(sequence: number): void {
    const call = this.#pending.get(sequence);
    if (!call) return;
    const { thread } = call;
    if (thread && thread === this.#current && sequence > thread.lastBegun) this.#retire(thread);
    if (!thread || !call.thread) {
      this.#pending.delete(sequence);
      call.reject(this.#notStarted());
      return;
    }
    thread.send([{ kind: 'abort', sequence }]);
    setTimeout(() => this.#giveUp(call, thread), reactionMs).unref();
  }

  /** Only a call that began in the thread it left can have blocked it; without one, the thread was still starting. */
  #notStarted(): AssayError {
    const isBlocked = [...this.#pending.values()].some(({ thread }) => thread && this.#retired.has(thread));
    return isBlocked
      ? new AssayError('TARGET_STOPPED', "Not started: another call was blocking the module's thread.")
      : new AssayError('TARGET_TIMEOUT', "Not started in time: the module's thread was still starting.");
  }

  #giveUp(call: PendingCall, thread: ModuleThread): void {
    if (!this.#pending.delete(call.sequence)) return;
    call.reject(new AssayError('TARGET_TIMEOUT', 'The function did not return.'));
    this.#retire(thread);
    if (!call.isStopHeard) this.#end(thread, 'TARGET_STOPPED', 'another call of this module did not return');
    else this.#endIfIdle(thread);
  }

  /** Called at intervals: when the same call is still waiting to begin, another one holds the thread. */
  #leaveBlockedThread(): void {
    const thread = this.#current;
    if (!thread?.isLoaded) return;
    const { lastBegun } = thread;
    const waiting = [...this.#pending.values()].find((call) => call.thread === thread && call.sequence > lastBegun);
    if (waiting && waiting.sequence === this.#firstWaiting) this.#retire(thread);
    this.#firstWaiting = waiting?.sequence;
  }

  /** Lets no further call begin in the thread; those that have not begun there begin in a new one. */
  #retire(thread: ModuleThread): void {
    if (thread !== this.#current) return;
    this.#current = undefined;
    this.#retired.add(thread);
    const lastBegun = thread.retire();
    for (const call of this.#pending.values()) {
      if (call.thread === thread && call.sequence > lastBegun) call.thread = undefined;
    }
    this.#sendSoon();
  }

  #end(thread: ModuleThread, code: 'TARGET_CRASHED' | 'TARGET_STOPPED', reason: string): void {
    if (thread.isLoaded) this.#retire(thread);
    else if (thread === this.#current) this.#current = undefined;
    for (const call of this.#pending.values()) {
      if (call.thread !== thread) continue;
      const ended = new AssayError(code, `The module ended during this call: ${reason}.`);
      call.reject(thread.isLoaded ? ended : this.#notLoaded(reason));
    }
    this.#retired.delete(thread);
    void thread.end();
  }

  #forget(sequence: number): void {
    const thread = this.#pending.get(sequence)?.thread;
    this.#pending.delete(sequence);
    if (thread) this.#endIfIdle(thread);
  }

  #endIfIdle(thread: ModuleThread): void {
    if (!this.#retired.has(thread) || [...this.#pending.values()].some((call) => call.thread === thread)) return;
    this.#retired.delete(thread);
    void thread.end();
  }

  #notLoaded(reason: string): AssayError {
    return new AssayError('TARGET_NOT_LOADED', `Cannot load ${this.#file}: ${reason}`, {
      hint: loadHint(this.#file, reason),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#patience);
    const threads = [...this.#retired, ...(this.#current ? [this.#current] : [])];
    this.#current = undefined;
    for (const call of this.#pending.values())
      call.reject(new AssayError('TARGET_STOPPED', 'The run ended before this call returned.'));
    this.#pending.clear();
    // Ending takes a while, and nothing depends on it any more.
    for (const thread of threads) void thread.end();
  }
}

/** Where the reason says what to change. */
function loadHint(file: string, reason: string): string | undefined {
  if (/^Unknown file extension/.test(reason))
    return `A \`module\` is JavaScript or TypeScript. Call another program with \`command\`, such as \`call: { command: python3 ${basename(file)} }\`.`;
  return /^it has no exported function/.test(reason)
    ? 'Name one of these functions with `export` in the `call`.'
    : undefined;
}
