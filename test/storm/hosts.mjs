import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

// Storms at the same time have networks of their own.
const network = `10.213.${process.pid % 250}`;
const bridge = `assay${process.pid % 100_000}`;

/**
 * Machines for workers: network namespaces on a bridge where this process may make them, so that a machine can be cut
 * off; otherwise the machine that we are on.
 */
export class Hosts {
  #names = [];
  #isNetwork = false;

  /** Makes the network, and lets the server be reached from it. */
  static open(server) {
    const hosts = new Hosts();
    hosts.#isNetwork = tried(() => {
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('addr', 'add', `${network}.1/24`, 'dev', bridge);
      ip('link', 'set', bridge, 'up');
      hosts.#add();
    });
    if (hosts.#isNetwork) {
      appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), `\nhost all all ${network}.0/24 scram-sha-256\n`);
    } else hosts.close();
    return hosts;
  }

  get isNetwork() {
    return this.#isNetwork;
  }

  /** The machine for the worker of this number; there are as many as are asked for. */
  host(number) {
    while (this.#isNetwork && this.#names.length <= number) this.#add();
    const name = this.#names[number];
    const link = `${bridge}v${number}`;
    return {
      canBeCutOff: name !== undefined,
      /** How a program is started there. */
      command: (command, args) => (name ? ['ip', ['netns', 'exec', name, command, ...args]] : [command, args]),
      urlFrom: (url) => (name ? url.replace('127.0.0.1', `${network}.1`) : url),
      cutOff: () => ip('link', 'set', link, 'down'),
      reconnect: () => ip('link', 'set', link, 'up'),
    };
  }

  close() {
    for (const name of this.#names) tried(() => ip('netns', 'del', name));
    tried(() => ip('link', 'del', bridge));
    this.#names = [];
  }

  #add() {
    const number = this.#names.length;
    const [name, link] = [`${bridge}n${number}`, `${bridge}v${number}`];
    ip('netns', 'add', name);
    this.#names.push(name);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', link, 'master', bridge, 'up');
    ip('-n', name, 'addr', 'add', `${network}.${number + 10}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up');
  }
}

function ip(...args) {
  execFileSync('ip', args, { stdio: 'pipe' });
}

function tried(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
