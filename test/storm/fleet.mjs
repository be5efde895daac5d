import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { program } from './stage.mjs';

const preload = new URL('./shift-clock.mjs', import.meta.url).href;

/** Workers that are started, killed, stalled and cut off. */
export class Fleet {
  #stage;
  #workers = [];
  #away = new Set();

  constructor(stage) {
    this.#stage = stage;
  }

  /** Workers that could take trials now. */
  get free() {
    return this.#workers.filter((worker) => isAlive(worker) && !this.#away.has(worker));
  }

  /** Starts a worker on a machine of its own. */
  start({ concurrency = 4, leaseSecs = 1, args = [], env = {}, clockShiftMs = 0, folder } = {}) {
    const number = this.#workers.length;
    // Machines of workers that were killed are used again.
    const hostNumber = this.#freeHost();
    const host = this.#stage.hosts.host(hostNumber);
    const cwd = join(this.#stage.folder, `machine-${hostNumber}`);
    mkdirSync(cwd, { recursive: true });
    const name = `storm-${number}`;
    const url = `${host.urlFrom(this.#stage.url)}?application_name=${name}`;
    const options = ['--concurrency', concurrency, '--lease-secs', leaseSecs, '--drain-secs', '20', ...args];
    const given = ['worker', '--agents', '', '--folder', folder ?? join(cwd, 'bundles'), ...options].map(String);
    const clock = clockShiftMs === 0 ? [] : ['--import', preload];
    const child = spawn(...host.command(process.execPath, [...clock, program, ...given]), {
      cwd,
      env: { ...process.env, ASSAY_STORE: url, STORM_LOG: this.#stage.log, STORM_SHIFT_MS: clockShiftMs, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const worker = { name, number, hostNumber, host, child, said: '' };
    child.stderr.setEncoding('utf8').on('data', (text) => {
      worker.said += text;
    });
    this.#workers.push(worker);
    return worker;
  }

  kill(worker) {
    worker.child.kill('SIGKILL');
    this.#away.delete(worker);
  }

  /** Lets a worker stand still for a while, and then go on as if nothing had been. */
  stall(worker, ms) {
    worker.child.kill('SIGSTOP');
    this.#isAwayFor(worker, ms, () => worker.child.kill('SIGCONT'));
  }

  /** Takes the network from a worker's machine for a while. */
  cutOff(worker, ms) {
    worker.host.cutOff();
    this.#isAwayFor(worker, ms, () => worker.host.reconnect());
  }

  /** How often workers have said something. */
  count(text) {
    return this.#workers.reduce((sum, { said }) => sum + said.split(text).length - 1, 0);
  }

  /** Which worker an entry of the queue or the store is about. */
  pidOf(name) {
    return this.#workers.find((worker) => worker.name === name)?.child.pid;
  }

  get said() {
    return this.#workers.map(({ name, said }) => `--- ${name}\n${said}`).join('\n');
  }

  /** Waits for those that are away, and lets all end in order; those that cannot are killed. */
  async end() {
    while (this.#away.size > 0) await wait(50);
    const alive = this.#workers.filter(isAlive);
    const ends = alive.map(({ child }) => once(child, 'exit'));
    for (const { child } of alive) child.kill('SIGTERM');
    const patience = wait(30_000).then(() => alive.filter(isAlive).forEach(({ child }) => void child.kill('SIGKILL')));
    await Promise.race([Promise.all(ends), patience]);
  }

  /** Ends everything at once. */
  killAll() {
    for (const { child } of this.#workers) child.kill('SIGKILL');
  }

  #freeHost() {
    const taken = new Set(this.#workers.filter(isAlive).map(({ hostNumber }) => hostNumber));
    let number = 0;
    while (taken.has(number)) number++;
    return number;
  }

  #isAwayFor(worker, ms, comeBack) {
    this.#away.add(worker);
    setTimeout(() => {
      comeBack();
      this.#away.delete(worker);
    }, ms);
  }
}

function isAlive({ child }) {
  return child.exitCode === null && child.signalCode === null;
}
