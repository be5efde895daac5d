import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { hasMark, type ProcessMark } from './process-mark.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const tagVariable = 'ASSAY_TRIAL';

/** Enough for processes that fork while they are being ended; each round ends all that were seen. */
const longestHunt = 20;

/** More than the environments of most processes. */
const scratchBytes = 65_536;

/** An environment by which a process and all that it starts can be found again. */
export function taggedEnvironment(env: Environment, tag: string): Environment {
  return { ...env, [tagVariable]: tag };
}

/**
 * Ends every process that carries the tag, also one that left its process group and session. Where there is no
 * `/proc` nothing is found, and the process group is all that can be ended.
 */
export function endTaggedProcesses(tag: string): void {
  endFound(() => taggedProcesses(tag));
}

function endFound(find: () => readonly number[]): void {
  for (let round = 0; round < longestHunt; round++) {
    const found = find();
    if (found.length === 0) return;
    for (const pid of found) signalProcess(pid, 'SIGKILL');
  }
}

/**
 * Asks every process that carries the tag to end, without those that only hold its namespace open, and says whether
 * there was one.
 */
function askNamespacedProcesses(tag: string): boolean {
  const inside = taggedProcesses(tag).filter(isInNamespace);
  for (const pid of inside) signalProcess(pid, 'SIGTERM');
  return inside.length > 0;
}

/** The ids of all processes that carry the tag; none where there is no `/proc`. */
export function taggedProcesses(tag: string): number[] {
  return processIds().filter(isTagged(tag));
}

function isTagged(tag: string): (pid: number) => boolean {
  const entry = `${tagVariable}=${tag}`;
  const scratch = Buffer.allocUnsafe(scratchBytes);
  return (pid) => mayContain(pid, entry, scratch) && environmentOf(pid).includes(entry);
}

/** A machine has many processes, so most are ruled out without a text being made of their environments. */
function mayContain(pid: number, entry: string, scratch: Buffer): boolean {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, 'r');
    const bytes = readSync(file, scratch, 0, scratch.length, 0);
    return bytes === scratch.length || scratch.subarray(0, bytes).includes(entry, 0, 'latin1');
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function environmentOf(pid: number): string[] {
  return aboutProcess(pid, 'environ').split('\0');
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** A process in a namespace below ours has another id in it, beside the one by which we know it. */
function isInNamespace(pid: number): boolean {
  return /^NSpid:\t\d+\t/m.test(aboutProcess(pid, 'status'));
}

/** Empty for a process that has ended or belongs to another user. */
function aboutProcess(pid: number, file: 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}

/** Time between asking a process group to end and ending it. */
export const graceMs = 1_000;

/** By what the processes of a tree are found. */
export interface TreeShape {
  /** Unique to the tree: all that it starts inherits it. */
  readonly tag: string;
  /** The leader only holds a process namespace open, and must not get the signal to end before what is in it. */
  readonly isNamespaced: boolean;
  /** Of the leader, where it has one: what has lost the tag is found by it. */
  readonly mark?: ProcessMark | undefined;
}

/** A process that leads its own group, with all that it started; it does not outlive this program. */
export class ProcessTree implements Disposable {
  readonly #leader: number | undefined;
  readonly #shape: TreeShape;
  readonly #onExit = (): void => this.endAll();
  #graceTimer: NodeJS.Timeout | undefined;
  #isDisposed = false;

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

  /** False where nothing runs yet that could get a signal. */
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
    const isOurs = this.#isOurs();
    endFound(() => processIds().filter(isOurs));
  }

  /**
   * The same when the leader has ended by itself. With a mark, processes that are older than the leader are not looked
   * at, of which a machine has many: when ids begin again, what is missed is ended together with this program.
   */
  endDaemons(): void {
    if (this.#shape.mark === undefined) {
      this.endAll();
      return;
    }
    this.endGroup();
    const oldest = this.#leader ?? 0;
    const isOurs = this.#isOurs();
    endFound(() => processIds().filter((pid) => pid > oldest && isOurs(pid)));
  }

  #isOurs(): (pid: number) => boolean {
    const { tag, mark } = this.#shape;
    const hasTag = isTagged(tag);
    return (pid) => (mark !== undefined && hasMark(pid, mark)) || hasTag(pid);
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
    // A process that cannot start fails first, and closes its pipes then.
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    clearTimeout(this.#graceTimer);
    process.off('exit', this.#onExit);
    process.setMaxListeners(process.getMaxListeners() - 1);
  }
}
