import { constants } from 'node:os';
import type { ProcessExit } from '../../../shared/processes/run-process.ts';
import { Exchange } from './exchange.ts';
import { FrameRelay } from './frame-relay.ts';
import type { MessageLog } from './message-log.ts';
import { ProxiedProcess, type StdioDefinition } from './proxied-process.ts';
import { serverTag } from './proxy-spec.ts';
import { relayStream } from './relay-stream.ts';
import type { AgentSide } from './run-proxy.ts';
import type { Wording } from './wording.ts';

/** What a shell says with its exit code about a command that it could not start. */
const notStartedExitCode = 127;
const signalBase = 128;

interface ProcessRelay {
  readonly log: MessageLog;
  readonly wording: Wording | undefined;
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
    const endedBy = isLeft ? 'agent' : isToldToEnd(exit) ? 'signal' : 'server';
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
function connect({ child }: ProxiedProcess, agent: AgentSide, { log, wording }: ProcessRelay): FrameRelay {
  const exchange = new Exchange(log, wording, (frame) => void agent.send(Buffer.concat([frame, Buffer.from('\n')])));
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
function isToldToEnd({ signal }: ProcessExit): boolean {
  return signal !== null && ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'].includes(signal);
}

function howItEnded({ exitCode, signal }: ProcessExit): string {
  return signal === null ? `with exit code ${exitCode}` : `by the signal ${signal}`;
}

function exitCodeOf({ exitCode, signal }: ProcessExit): number {
  return exitCode ?? signalBase + (signal === null ? 0 : constants.signals[signal]);
}
