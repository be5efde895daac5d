import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { ProcessExit } from '../../../shared/processes/run-process.ts';
import { howItEnded, notStarted, ServerProcess, type StdioDefinition } from '../wire/server-process.ts';
import { WireError } from '../wire/wire.ts';
import { asLine, type MakeExchange } from './exchange.ts';
import { FrameRelay } from './frame-relay.ts';
import type { MessageLog } from './message-log.ts';
import { type AgentSide, serverTag } from './proxy.ts';

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
    const { cwd: directory, env } = agent;
    const server = new ServerProcess(definition, { directory, env, tag: serverTag(relay.tag, log.proxy) });
    const toAgent = connect(server, agent, relay);
    let isLeft = false;
    agent.onGone(() => {
      isLeft = true;
      void server[Symbol.asyncDispose]();
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
    const { end } = error instanceof WireError ? error : notStarted(why);
    log.end({ endedBy: 'server', ...end, stderr: '' });
    agent.stderr.write(`${definition.command} ${end.what}\n`);
    return notStartedExitCode;
  }
}

/** Gives the relay to the agent, which may hold a last line. */
function connect({ child }: ServerProcess, agent: AgentSide, { makeExchange }: ProcessRelay): FrameRelay {
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

/** Some agents end all that they started at once, the server before or together with the proxy in front of it. */
function isEndedBySignal({ signal }: ProcessExit): boolean {
  return signal !== null && ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'].includes(signal);
}

function exitCodeOf({ exitCode, signal }: ProcessExit): number {
  return exitCode ?? signalBase + (signal === null ? 0 : constants.signals[signal]);
}
