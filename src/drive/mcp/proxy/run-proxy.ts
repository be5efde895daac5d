import type { Readable, Writable } from 'node:stream';
import { MessageLog } from './message-log.ts';
import type { ProxySpec } from './proxy-spec.ts';
import type { Wording } from './wording.ts';

interface ProxySurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The agent, as a proxy sees it. */
export interface AgentSide extends ProxySurroundings {
  /** Waits until it is taken, or nobody will. */
  send(bytes: Buffer): Promise<void>;
  /** Calls the listener when the agent will say nothing more. */
  onGone(listener: () => void): void;
  /** Calls the listener when the proxy was asked to end. */
  onStop(listener: () => void): void;
}

const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Stands between an agent and an MCP server, and writes down what passes; gives the exit code of the server. */
export async function runProxy(spec: ProxySpec, surroundings: ProxySurroundings): Promise<number> {
  using log = new MessageLog(spec.logFile);
  if (!log.isWritten) surroundings.stderr.write(`What the server is asked cannot be written to ${spec.logFile}\n`);
  const wording = spec.wording === null ? undefined : await loadWording(spec.wording);
  using agent = new OwnStreams(surroundings);
  const { server, tag } = spec;
  // Neither kind needs what the other one loads, and agents wait for their servers.
  if (server.transport === 'stdio') {
    const { relayToProcess } = await import('./relay-process.ts');
    return await relayToProcess(server, agent, { log, wording, tag });
  }
  const { relayToConnection } = await import('./relay-connection.ts');
  return await relayToConnection(server, agent, { log, wording });
}

async function loadWording(rewrites: NonNullable<ProxySpec['wording']>): Promise<Wording> {
  const { Wording } = await import('./wording.ts');
  return new Wording(rewrites);
}

class OwnStreams implements AgentSide, Disposable {
  readonly cwd: string;
  readonly env: ProxySurroundings['env'];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly #stopListeners: (() => void)[] = [];
  readonly #stop = (): void => {
    for (const listener of this.#stopListeners) listener();
  };

  constructor({ cwd, env, stdin, stdout, stderr }: ProxySurroundings) {
    this.cwd = cwd;
    this.env = env;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    for (const signal of endingSignals) process.on(signal, this.#stop);
  }

  send(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || !this.stdout.writable) return Promise.resolve();
    return new Promise((resolve) => {
      this.stdout.once('close', resolve);
      this.stdout.write(bytes, () => resolve());
    });
  }

  onGone(listener: () => void): void {
    this.stdin.on('end', listener);
    this.stdin.on('close', listener);
    this.stdout.on('close', listener);
    this.stdout.on('error', listener);
  }

  onStop(listener: () => void): void {
    this.#stopListeners.push(listener);
  }

  [Symbol.dispose](): void {
    for (const signal of endingSignals) process.off(signal, this.#stop);
    // An open input would keep the program from ending.
    this.stdin.destroy();
  }
}
