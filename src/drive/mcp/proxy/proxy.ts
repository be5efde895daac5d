import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import type { ToolControl } from '../../../domain/tool-control/mocks.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ReplayedTape } from '../../tape/tool-tapes.ts';
import type { McpControl, ServerTape } from '../control/mcp-control.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ToolDefinition } from '../session.ts';
import type { ChosenSurface } from '../surfaces/tool-surface.ts';
import type { ToolRewrites } from '../tool-rewrites.ts';
import { Exchange, type MakeExchange } from './exchange.ts';
import { MessageLog } from './message-log.ts';
import type { MakeStage } from './stage.ts';

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

const ignore = (): void => undefined;
const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Stands between an agent and an MCP server, and writes down what passes; gives the exit code of the server. */
export async function runProxy(spec: ProxySpec, surroundings: ProxySurroundings): Promise<number> {
  using log = await MessageLog.open(spec);
  if (!log.isWritten) surroundings.stderr.write(`Could not write the log of the MCP server to ${spec.logFile}\n`);
  // Programs of models end with the talk: one of them would keep the proxy from ending.
  const over = new AbortController();
  using _over = { [Symbol.dispose]: () => over.abort() };
  const stages = await stagesOf(spec, log, over.signal);
  const makeExchange: MakeExchange = (sides) => new Exchange(log, stages, sides);
  using agent = new OwnStreams(surroundings);
  const { server, tag } = spec;
  // Neither kind needs what the other one loads, and agents wait for their servers.
  const control = spec.control ? await loadControl(spec.control, spec, log) : undefined;
  if (server.transport === 'stdio' && !control?.isActive) {
    const { relayToProcess } = await import('./relay-process.ts');
    return await relayToProcess(server, agent, { log, makeExchange, tag });
  }
  const { relayToConnection } = await import('./relay-connection.ts');
  const processTag = serverTag(tag, log.proxy);
  return await relayToConnection(server, agent, { log, makeExchange, processTag, control });
}

/** The stages from the agent to the server; each is loaded where it is needed, because agents wait. */
async function stagesOf({ server, surface, wording }: ProxySpec, log: MessageLog, signal: AbortSignal) {
  const stages: MakeStage[] = [];
  if (surface) {
    const { SurfaceStage } = await import('./surface-stage.ts');
    const { makeSurface } = await import('../surfaces/make-surface.ts');
    const chosen = await inWording(surface, wording ?? {});
    const offer = (tools: readonly ToolDefinition[]) => makeSurface(tools, {}, chosen);
    stages.push((ends) => new SurfaceStage({ chosen, offer, log, signal }, ends));
  }
  if (wording) {
    const { WordingStage } = await import('./wording.ts');
    stages.push((ends) => new WordingStage(wording, ends));
  }
  // A server whose definition names an era is spoken to in it, whichever era the agent speaks.
  const protocol = 'protocol' in server ? (server.protocol ?? 'auto') : 'auto';
  if (protocol !== 'auto') {
    const { EraStage } = await import('./bridge/era-stage.ts');
    stages.push((ends) => new EraStage(protocol === 'legacy' ? 'legacy' : 'modern', ends));
  }
  return stages;
}

/** The names of a subset are the server's own; the agent sees those of the wording. */
async function inWording(surface: ChosenSurface, wording: ToolRewrites): Promise<ChosenSurface> {
  if (surface.kind !== 'subset') return surface;
  const { shownToolName } = await import('../tool-rewrites.ts');
  return { ...surface, tools: surface.tools.map((tool) => shownToolName(tool, wording)) };
}

async function loadControl({ plan, tape, simulation, ...controlled }: ProxyControl, spec: ProxySpec, log: MessageLog) {
  const { mcpControl } = await import('../control/mcp-control.ts');
  const onAction: McpControl['onAction'] = (action) => log.control(action);
  const serverTape = tape && (await loadTape(tape, controlled.server, spec, log, onAction));
  const simulate = simulation === undefined ? undefined : await loadSimulator(simulation, controlled.server, log);
  return mcpControl(plan, { ...controlled, onAction, tape: serverTape, simulate });
}

/** The run counts the calls in the log against those that it played. */
async function loadSimulator(socket: string, server: string, log: MessageLog) {
  const { remoteSimulator } = await import('./simulation-socket.ts');
  const simulator = remoteSimulator(socket, server, ({ tool, number: callNumber, place: rule }) =>
    log.control({ border: 'mcp', server, tool, callNumber, kind: 'simulate', rule, what: 'is answered by a model' }),
  );
  return () => simulator;
}

async function loadTape(
  tape: ProxyTape,
  server: string,
  { logFile }: ProxySpec,
  log: MessageLog,
  onAction: McpControl['onAction'],
): Promise<ServerTape> {
  if (tape.kind === 'record') return { kind: 'record', open: () => log.tape() };
  const { openProxyReplay } = await import('./proxy-replay.ts');
  return { kind: 'replay', replay: openProxyReplay(tape, { server, logFile, proxy: log.proxy, onAction }) };
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
    // Node.js would open a debugger, by which the agent could change what is recorded.
    process.on('SIGUSR1', ignore);
  }

  send(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || !this.stdout.writable) return Promise.resolve();
    return new Promise((resolve) => {
      const sent = (): void => {
        this.stdout.off('close', sent);
        resolve();
      };
      this.stdout.once('close', sent);
      this.stdout.write(bytes, sent);
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
    process.off('SIGUSR1', ignore);
    // An open input would keep the program from ending.
    this.stdin.destroy();
  }
}

/** Rules of the trial for the calls of a server, by the name that its user gave it. */
interface ProxyControl {
  readonly plan: ToolControl | undefined;
  readonly server: string;
  readonly seed: string;
  readonly tape?: ProxyTape | undefined;
  /** Absolute: the socket on which the run plays tools; undefined where none is simulated. */
  readonly simulation?: string | undefined;
}

/** How the server is recorded, or who answers in its place. */
export type ProxyTape =
  | { readonly kind: 'record' }
  | ({ readonly kind: 'replay' } & Pick<ReplayedTape, 'lines' | 'rules' | 'folders'>);

/** Settings of a proxy. They are in a file, because agents differ in which variables they pass on. */
export interface ProxySpec {
  /** With every variable expanded; without `cwd` the server starts where the proxy does. */
  readonly server: ServerDefinition;
  /** Absolute. */
  readonly logFile: string;
  /** Absolute: the socket of the keeper that writes the log; undefined where the proxy writes it itself. */
  readonly keeper?: string | undefined;
  /** How the agent gets to see the tools, where that is not how the server words them. */
  readonly wording: ToolRewrites | null;
  /** How the tools are offered to the agent, where that is not one by one. */
  readonly surface: ChosenSurface | null;
  /** Unique to the server and its trial: by it, and the id of a proxy, everything is found that the server starts. */
  readonly tag: string;
  /** Absent where the calls are left alone. */
  readonly control?: ProxyControl | undefined;
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
