import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Commands } from './program.mjs';

const file = fileURLToPath(new URL('./resident-process.mjs', import.meta.url));

/** A process that stays and runs many commands, beside others on the same store. What it has answered must be stored. */
export class Resident extends Commands {
  #args;
  #child;
  #waiting = new Map();
  #count = 0;
  kills = 0;

  constructor({ folder, env }, storeUrl) {
    super();
    this.#args = [JSON.stringify({ folder, env }), storeUrl];
  }

  command(...args) {
    this.#child ??= this.#start();
    const id = ++this.#count;
    const { promise, ...settle } = withResolvers();
    this.#waiting.set(id, settle);
    this.#child.send({ id, args });
    return promise;
  }

  #start() {
    const child = fork(file, this.#args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(-4_000);
    });
    child.on('message', ({ id, ...result }) => {
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    });
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`the process ended (${signal ?? code}): ${said}`));
      this.#waiting.clear();
    });
    return child;
  }

  async kill() {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) this.kills += 1;
    await ended;
  }
}

function withResolvers() {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
