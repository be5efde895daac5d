import { endTaggedProcesses } from './tagged-processes.ts';

/** Time between asking a process group to end and ending it. */
export const graceMs = 1_000;

/** A process that leads a group of its own, with all that it started; it does not outlive this program. */
export class ProcessTree implements Disposable {
  readonly #leader: number | undefined;
  readonly #tag: string;
  readonly #onExit = (): void => this.endAll();
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(leader: number | undefined, tag: string) {
    this.#leader = leader;
    this.#tag = tag;
    // One listener per running process is meant, so the warning against a leak is moved out of its way.
    process.setMaxListeners(process.getMaxListeners() + 1);
    process.on('exit', this.#onExit);
  }

  /** Asks the group to end, and ends everything that has not after a while. */
  stop(): void {
    this.#signalGroup('SIGTERM');
    this.#graceTimer ??= setTimeout(() => this.endAll(), graceMs);
  }

  /** Ends what is still in the group. */
  endGroup(): void {
    this.#signalGroup('SIGKILL');
  }

  /** Ends the group, and what left it. */
  endAll(): void {
    this.endGroup();
    endTaggedProcesses(this.#tag);
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#leader === undefined) return;
    try {
      process.kill(-this.#leader, signal);
    } catch {
      // The group is gone, which is what was wanted.
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#graceTimer);
    process.off('exit', this.#onExit);
    process.setMaxListeners(process.getMaxListeners() - 1);
  }
}
