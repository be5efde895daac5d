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
    for (const pid of found) endProcess(pid);
  }
}

function taggedProcesses(tag: string): number[] {
  const entry = `${tagVariable}=${tag}`;
  return processIds().filter((pid) => environmentOf(pid).includes(entry));
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended or belongs to somebody else. */
function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}
