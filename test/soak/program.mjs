import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadProgram } from '../../bin/load-program.js';

const programFile = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));
const program = loadProgram();

class Text extends Writable {
  #chunks = [];

  _write(chunk, _encoding, done) {
    this.#chunks.push(chunk);
    done();
  }

  toString() {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Whatever runs commands of the program. */
export class Commands {
  async document(...args) {
    const result = await this.command(...args, '--json');
    try {
      return { ...result, document: JSON.parse(result.stdout) };
    } catch {
      throw new Error(`\`assay ${args.join(' ')}\` printed no document (exit ${result.exitCode}):\n${result.stderr}`);
    }
  }
}

/** The built program in one project, on one store. */
export class Program extends Commands {
  #project;
  #env;
  /** Processes that were ended, and runs that were cancelled, while trials were under way. */
  ends = 0;
  /** Processes that were killed while they opened a store. */
  kills = 0;

  constructor(project, storeUrl) {
    super();
    this.#project = project;
    const { PATH, HOME } = process.env;
    this.#env = { PATH, HOME, NO_COLOR: '1', ASSAY_STORE: storeUrl, ...project.env };
    // Modules under test run in threads of this process, which have its variables.
    Object.assign(process.env, project.env);
  }

  /** Inside this process, which takes a fraction of a start. */
  async command(...args) {
    const [stdin, stdout, stderr] = [new PassThrough(), new Text(), new Text()];
    stdin.end();
    const surroundings = { cwd: this.#project.folder, env: this.#env, stdin, stdout, stderr };
    const exitCode = await program.main(args, surroundings);
    return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  }

  start(...args) {
    return this.startAfter([], ...args);
  }

  /** As a process that other words come before, such as those of a program that runs it. */
  startAfter(before, ...args) {
    const [first, ...others] = [...before, process.execPath, programFile, ...args];
    return spawn(first, others, {
      cwd: this.#project.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** As a process, which gets a signal as soon as the tool was called so many times more. */
  async endedAfter(calls, signal, ...args) {
    const goal = this.#project.calls + calls;
    const child = this.start(...args);
    const ended = endOf(child);
    let isOver = false;
    ended.then(() => {
      isOver = true;
    });
    while (!isOver && this.#project.calls < goal) await wait(2);
    if (!isOver && child.kill(signal)) this.ends += 1;
    return ended;
  }
}

export function endOf(child) {
  const [stdout, stderr] = [new Text(), new Text()];
  child.stdout.pipe(stdout);
  child.stderr.pipe(stderr);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) =>
      resolve({ exitCode, signal, stdout: stdout.toString(), stderr: stderr.toString() }),
    );
  });
}
