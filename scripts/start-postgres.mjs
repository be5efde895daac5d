import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const user = 'assay';
const password = 'not-a-secret';

/**
 * Starts a Postgres server in a folder of its own on a free port. It refuses to run as root, so that there it runs as
 * the user `nobody`.
 */
export async function startPostgres(bin, settings = []) {
  const folder = await mkdtemp(join(tmpdir(), 'assay-postgres-'));
  const account = process.getuid?.() === 0 ? await unprivileged() : {};
  const options = { ...account, cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined) for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  const access = ['-U', user, '-A', 'scram-sha-256', '--pwfile', passwordFile];
  await run(join(bin, 'initdb'), ['-D', data, ...access, '-E', 'UTF8', '--no-sync'], options);
  const port = await freePort();
  const server = new Server(bin, { folder, data, port, settings, options });
  await server.start();
  return server;
}

class Server {
  #child;
  #bin;
  #place;

  constructor(bin, place) {
    this.#bin = bin;
    this.#place = place;
  }

  get folder() {
    return this.#place.folder;
  }

  get port() {
    return this.#place.port;
  }

  url(database = 'postgres') {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  async start() {
    const { folder, data, port, settings, options } = this.#place;
    const given = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
    const args = ['-D', data, '-p', String(port), ...given.flatMap((setting) => ['-c', setting])];
    const child = spawn(join(this.#bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    // Whatever ends the test ends the server too.
    const endServer = () => child.kill('SIGQUIT');
    process.once('exit', endServer);
    child.once('exit', () => process.off('exit', endServer));
    await untilReady(child);
  }

  async stop(mode = 'fast') {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  async [Symbol.asyncDispose]() {
    await this.stop('immediate');
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What the server says is read on and on, because a full pipe would stop it. */
function untilReady(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (said.length < 100_000) said += text;
      if (said.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The Postgres server ended with ${code}:\n${said}`)));
  });
}

async function unprivileged() {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined) throw new Error('Postgres does not run as root, and there is no user "nobody".');
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
