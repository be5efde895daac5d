import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ToolRewrites } from '../tool-rewrites.ts';
import { Exchange, type MakeExchange } from './exchange.ts';
import { MessageLog } from './message-log.ts';
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
  /** Resolves when the agent has read it, or has gone. */
  send(bytes: Buffer): Promise<void>;
  /** Calls the listener when the agent will say nothing more. */
  onGone(listener: () => void): void;
  /** Calls the listener when the proxy gets a signal to end. */
  onStop(listener: () => void): void;
}

const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Stands between an agent and an MCP server, and writes down what passes; gives the exit code of the server. */
export async function runProxy(spec: ProxySpec, surroundings: ProxySurroundings): Promise<number> {
  using log = new MessageLog(spec.logFile);
  if (!log.isWritten) surroundings.stderr.write(`Could not write the log of the MCP server to ${spec.logFile}\n`);
  const wording = spec.wording === null ? undefined : await loadWording(spec.wording);
  const makeExchange = await exchangeMaker(spec.server, log, wording);
  using agent = new OwnStreams(surroundings);
  const { server, tag } = spec;
  // Neither kind needs what the other one loads, and agents wait for their servers.
  if (server.transport === 'stdio') {
    const { relayToProcess } = await import('./relay-process.ts');
    return await relayToProcess(server, agent, { log, makeExchange, tag });
  }
  const { relayToConnection } = await import('./relay-connection.ts');
  return await relayToConnection(server, agent, { log, makeExchange });
}

/** A server whose definition names an era is spoken to in it, whichever era the agent speaks. */
async function exchangeMaker(
  server: ServerDefinition,
  log: MessageLog,
  wording: Wording | undefined,
): Promise<MakeExchange> {
  const protocol = 'protocol' in server ? (server.protocol ?? 'auto') : 'auto';
  if (protocol === 'auto') return ({ answerAgent }) => new Exchange(log, wording, answerAgent);
  const { BridgedExchange } = await import('./bridged-exchange.ts');
  const serverEra = protocol === 'legacy' ? 'legacy' : 'modern';
  return (sides) => {
    const plain = new Exchange(log, wording, sides.answerAgent);
    return new BridgedExchange({ serverEra, log, wording, plain, ...sides });
  };
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

/** Settings of a proxy. They are in a file, because agents differ in which variables they pass on. */
export interface ProxySpec {
  /** With every variable expanded; without `cwd` the server starts where the proxy does. */
  readonly server: ServerDefinition;
  /** Absolute. */
  readonly logFile: string;
  /** How the agent gets to see the tools, where that is not how the server words them. */
  readonly wording: ToolRewrites | null;
  /** Unique to the server and its trial: by it, and the id of a proxy, everything is found that the server starts. */
  readonly tag: string;
}

/** Reads what Assay has written for a proxy. */
export function readProxySpec(file: string): ProxySpec {
  const spec = parsed(file);
  if (!isRecord(spec) || !isRecord(spec.server) || typeof spec.logFile !== 'string' || typeof spec.tag !== 'string') {
    throw new AssayError('FILE_INVALID', `${file} does not name an MCP server to record.`, {
      hint: 'Do not run this command by hand: Assay writes the file when a trial starts, and agents run the command.',
    });
  }
  return spec as unknown as ProxySpec;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw asAssayError(error, 'FILE_INVALID');
  }
}

/** The tag of all processes that the server of one proxy starts. */
export function serverTag(tag: string, proxy: string): string {
  return `${tag}-${proxy}`;
}
