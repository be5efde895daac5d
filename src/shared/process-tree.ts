import { askNamespacedProcesses, endTaggedProcesses } from './tagged-processes.ts';

/** Time between asking a process group to end and ending it. */
export const graceMs = 1_000;

/** By what the processes of a tree are found. */
export interface TreeShape {
  /** Unique to the tree: all that it starts inherits it. */
  readonly tag: string;
  /** The leader only holds a process namespace open, and must not be asked to end before what is in it. */
  readonly isNamespaced: boolean;
}

/** A process that leads a group of its own, with all that it started; it does not outlive this program. */
export class ProcessTree implements Disposable {
  readonly #leader: number | undefined;
  readonly #shape: TreeShape;
  readonly #onExit = (): void => this.endAll();
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(leader: number | undefined, shape: TreeShape) {
    this.#leader = leader;
    this.#shape = shape;
    // One listener per running process is meant, so the warning against a leak is moved out of its way.
    process.setMaxListeners(process.getMaxListeners() + 1);
    process.on('exit', this.#onExit);
  }

  /** Asks the group to end, and ends everything that has not after a while. */
  stop(): void {
    this.#graceTimer ??= setTimeout(() => this.endAll(), this.#ask() ? graceMs : 0);
  }

  /** False where nothing runs yet that could be asked. */
  #ask(): boolean {
    if (this.#shape.isNamespaced) return askNamespacedProcesses(this.#shape.tag);
    this.#signalGroup('SIGTERM');
    return true;
  }

  /** Ends what is still in the group. */
  endGroup(): void {
    this.#signalGroup('SIGKILL');
  }

  /** Ends the group, and what left it. */
  endAll(): void {
    this.endGroup();
    endTaggedProcesses(this.#shape.tag);
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
