import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { taggedEnvironment } from '../../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../../shared/processes/run-process.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { MakeExchange } from './exchange.ts';
import { FrameRelay } from './frame-relay.ts';
import type { MessageLog } from './message-log.ts';
import { type AgentSide, serverTag } from './proxy.ts';

type StdioDefinition = Extract<ServerDefinition, { transport: 'stdio' }>;

const stderrEdgeBytes = 16_384;

/** Time between the end of a server's input and the signal to end. */
const shutdownGraceMs = 500;

interface ProcessSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Known to Assay too, which ends what a proxy that was killed could not. */
  readonly tag: string;
}

/** The program of a server behind a proxy, with all that it started. */
class ProxiedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when it could not be started. */
  readonly exit: Promise<ProcessExit>;
  readonly #stderr = new BoundedOutput(stderrEdgeBytes, stderrEdgeBytes);
  readonly #stopping = new AbortController();

  constructor({ command, args, ...own }: StdioDefinition, { cwd, env, tag }: ProcessSurroundings) {
    this.child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd: own.cwd ?? cwd,
      env: taggedEnvironment({ ...env, ...own.env }, tag),
      detached: true,
    });
    this.child.stderr.on('data', (chunk: Buffer) => this.#stderr.append(chunk));
    const supervision = { tag, isNamespaced: false, signal: this.#stopping.signal, endsDaemons: true };
    this.exit = superviseProcess(this.child, supervision);
  }

  stderr(): string {
    return this.#stderr.text();
  }

  /** Asks it to end, and ends it with all that it started when it does not. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends its input, the protocol's signal to exit; a server that stays is stopped. */
  async letGo(): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.stop(), shutdownGraceMs);
    await this.exit.catch(() => undefined);
    clearTimeout(timer);
  }
}

/** Passes data on at the pace of the reader; when the reader has gone, data is read and dropped. */
function relayStream(from: Readable, to: Writable, frames: FrameRelay): void {
  const goOn = (): void => void from.resume();
  // The reader may go away at any time, which is handled elsewhere.
  to.on('error', goOn);
  to.on('close', goOn);
  to.on('drain', goOn);
  from.on('error', () => undefined);
  from.on('data', (chunk: Buffer) => {
    const sent = frames.push(chunk);
    if (sent.length > 0 && to.writable && !to.write(sent)) from.pause();
  });
}

/** The exit code of a shell for a command that could not be started. */
const notStartedExitCode = 127;
const signalBase = 128;

interface ProcessRelay {
  readonly log: MessageLog;
  readonly makeExchange: MakeExchange;
  readonly tag: string;
}

/** Starts the server and stands between its standard streams and ours until one side ends; gives the exit code. */
export async function relayToProcess(
  definition: StdioDefinition,
  agent: AgentSide,
  relay: ProcessRelay,
): Promise<number> {
  const { log } = relay;
  try {
    const surroundings = { cwd: agent.cwd, env: agent.env, tag: serverTag(relay.tag, log.proxy) };
    const server = new ProxiedProcess(definition, surroundings);
    const toAgent = connect(server, agent, relay);
    let isLeft = false;
    agent.onGone(() => {
      isLeft = true;
      void server.letGo();
    });
    agent.onStop(() => {
      isLeft = true;
      server.stop();
    });
    const exit = await server.exit;
    await agent.send(toAgent.end());
    const endedBy = isLeft ? 'agent' : isEndedBySignal(exit) ? 'signal' : 'server';
    const code = isLeft ? null : 'MCP_SERVER_DIED';
    log.end({ endedBy, code, what: `ended ${howItEnded(exit)}`, stderr: server.stderr() });
    return exitCodeOf(exit);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.end({ endedBy: 'server', code: 'MCP_SERVER_NOT_STARTED', what: `could not be started: ${why}`, stderr: '' });
    agent.stderr.write(`${definition.command}: cannot be started: ${why}\n`);
    return notStartedExitCode;
  }
}

/** Gives the relay to the agent, which may hold a last line. */
function connect({ child }: ProxiedProcess, agent: AgentSide, { makeExchange }: ProcessRelay): FrameRelay {
  const exchange = makeExchange({
    answerAgent: (frame) => void agent.send(asLine(frame)),
    askServer: (frame) => void (child.stdin.writable && child.stdin.write(asLine(frame))),
  });
  const toServer = new FrameRelay({
    onFrame: (frame) => exchange.toServer(frame),
    onOversized: (bytes, edges) => exchange.oversized('to-server', bytes, edges),
  });
  const toAgent = new FrameRelay({
    onFrame: (frame) => exchange.fromServer(frame),
    onOversized: (bytes, edges) => exchange.oversized('from-server', bytes, edges),
  });
  relayStream(agent.stdin, child.stdin, toServer);
  relayStream(child.stdout, agent.stdout, toAgent);
  child.stderr.on('data', (chunk: Buffer) => agent.stderr.write(chunk));
  agent.stdin.on('end', () => child.stdin.end(toServer.end()));
  return toAgent;
}

function asLine(frame: Buffer): Buffer {
  return Buffer.concat([frame, Buffer.from('\n')]);
}

/** Some agents end all that they started at once, the server before or together with the proxy in front of it. */
function isEndedBySignal({ signal }: ProcessExit): boolean {
  return signal !== null && ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'].includes(signal);
}

function howItEnded({ exitCode, signal }: ProcessExit): string {
  return signal === null ? `with exit code ${exitCode}` : `by the signal ${signal}`;
}

function exitCodeOf({ exitCode, signal }: ProcessExit): number {
  return exitCode ?? signalBase + (signal === null ? 0 : constants.signals[signal]);
}
