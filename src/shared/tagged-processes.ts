import { readdirSync, readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

const tagVariable = 'ASSAY_TRIAL';

/** Enough for processes that fork while they are being ended; each round ends all that were seen. */
const longestHunt = 20;

/** An environment by which a process and all that it starts can be found again. */
export function taggedEnvironment(env: Environment, tag: string): Environment {
  return { ...env, [tagVariable]: tag };
}

/**
 * Ends every process that carries the tag, also one that left its process group and session. Where there is no
 * `/proc` nothing is found, and the process group is all that can be ended.
 */
export function endTaggedProcesses(tag: string): void {
  for (let round = 0; round < longestHunt; round++) {
    const found = taggedProcesses(tag);
    if (found.length === 0) return;
    for (const pid of found) signalProcess(pid, 'SIGKILL');
  }
}

/**
 * Asks every process that carries the tag to end, without those that only hold its namespace open, and says whether
 * there was one.
 */
export function askNamespacedProcesses(tag: string): boolean {
  const inside = taggedProcesses(tag).filter(isInNamespace);
  for (const pid of inside) signalProcess(pid, 'SIGTERM');
  return inside.length > 0;
}

function taggedProcesses(tag: string): number[] {
  const entry = `${tagVariable}=${tag}`;
  return processIds().filter((pid) => aboutProcess(pid, 'environ').split('\0').includes(entry));
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** A process in a namespace below ours has an id of its own in it, beside the one by which we know it. */
function isInNamespace(pid: number): boolean {
  return /^NSpid:\t\d+\t/m.test(aboutProcess(pid, 'status'));
}

/** Empty for a process that has ended or belongs to somebody else. */
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
