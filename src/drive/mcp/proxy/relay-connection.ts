import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { serverError } from '../../../shared/json-rpc.ts';
import type { McpControl } from '../control/mcp-control.ts';
import { answeredByOf } from '../control/mcp-reply.ts';
import type { ServerDefinition } from '../server-definition.ts';
import { openWire } from '../wire/open-wire.ts';
import { endOfError, type Wire, type WireEnd, type WireListener } from '../wire/wire.ts';
import { asLine, type Exchange, type MakeExchange } from './exchange.ts';
import { FrameRelay } from './frame-relay.ts';
import type { MessageLog } from './message-log.ts';
import type { AgentSide } from './proxy.ts';

const connectTimeoutMs = 30_000;
const failedExitCode = 1;

interface ConnectionRelay {
  readonly log: MessageLog;
  readonly makeExchange: MakeExchange;
  /** Of the processes of a server that is started. */
  readonly processTag: string;
  readonly control: McpControl | undefined;
}

/** Opens the wire to a server and speaks for it on our standard streams; gives the exit code. */
export async function relayToConnection(
  definition: ServerDefinition,
  agent: AgentSide,
  relaying: ConnectionRelay,
): Promise<number> {
  const { log } = relaying;
  let relay: ConnectedServer | undefined;
  const goodbye: WireEnd | null = await new Promise((resolve) => {
    relay = new ConnectedServer(agent, relaying, resolve);
    agent.onGone(() => resolve(null));
    agent.onStop(() => resolve(null));
    relay.open(definition).catch((error: unknown) => resolve(endOfError(error)));
  });
  const stderr = relay?.stderr() ?? '';
  await relay?.[Symbol.asyncDispose]();
  if (goodbye === null) {
    log.end({ endedBy: 'agent', code: null, what: 'was left', stderr });
    return 0;
  }
  const code = goodbye.isInjected ? null : goodbye.code;
  log.end({ endedBy: 'server', code, what: goodbye.what, stderr });
  agent.stderr.write(`The MCP server ${goodbye.what}\n`);
  return failedExitCode;
}

class ConnectedServer implements WireListener, AsyncDisposable {
  readonly #agent: AgentSide;
  readonly #exchange: Exchange;
  readonly #relaying: ConnectionRelay;
  readonly #over: (end: WireEnd) => void;
  readonly #waiting = new Set<unknown>();
  /** Calls that a fault delays. */
  readonly #delayed = new Set<unknown>();
  #wire: Wire | undefined;
  #initializeId: unknown;

  constructor(agent: AgentSide, relaying: ConnectionRelay, over: (end: WireEnd) => void) {
    this.#agent = agent;
    this.#relaying = relaying;
    this.#exchange = relaying.makeExchange({
      answerAgent: (frame) => void agent.send(asLine(frame)),
      askServer: (frame) => this.#send(frame),
    });
    this.#over = over;
  }

  stderr(): string | undefined {
    return this.#wire?.stderr();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wire?.[Symbol.asyncDispose]();
  }

  async open(definition: ServerDefinition): Promise<void> {
    const { env, stdin, cwd: directory } = this.#agent;
    const { control, processTag } = this.#relaying;
    const options = { directory, env, timeoutMs: connectTimeoutMs, control, processTag };
    this.#wire = await openWire(definition, options, this);
    const frames = new FrameRelay({
      onFrame: (frame) => this.#toServer(frame),
      onOversized: (bytes, edges) => this.#exchange.oversized('to-server', bytes, edges),
    });
    stdin.on('data', (chunk: Buffer) => void frames.push(chunk));
  }

  onMessage(message: unknown): void {
    for (const part of Array.isArray(message) ? message : [message]) this.#hear(part);
    const frame = Buffer.from(JSON.stringify(message));
    const answeredBy = isRecord(message) ? answeredByOf(message) : undefined;
    const instead = this.#exchange.fromServer(frame, answeredBy);
    if (instead !== null) void this.#agent.send(asLine(instead ?? frame));
  }

  /** The version that was agreed on goes with every request that follows. */
  #hear(message: unknown): void {
    if (!isRecord(message) || message.method !== undefined) return;
    this.#waiting.delete(message.id);
    this.#delayed.delete(message.id);
    if (message.id !== this.#initializeId || !isRecord(message.result)) return;
    this.#wire?.useProtocolVersion(String(message.result.protocolVersion));
    this.#initializeId = undefined;
  }

  onStray(text: string): void {
    this.#exchange.fromServer(Buffer.from(text));
  }

  onEnd(end: WireEnd): void {
    this.#over(end);
  }

  /** Without an answer the agent would wait for ever. */
  onUnanswered(id: string | number, end: WireEnd): void {
    if (!this.#waiting.delete(id)) return;
    const answer = { jsonrpc: '2.0', id, error: { code: serverError, message: `The MCP server ${end.what}` } };
    const isGreeting = id === this.#initializeId;
    if (!isGreeting) this.#relaying.log.unanswered(id, end);
    const frame = this.#exchange.answerFor(answer);
    const sent = frame === null ? Promise.resolve() : this.#agent.send(asLine(frame));
    void sent.then(() => isGreeting && this.#over(end));
  }

  /** The agent waits as long as it does for a server that hangs. */
  onSilenced(id: string | number): void {
    this.#waiting.delete(id);
    this.#relaying.log.unanswered(id, { code: 'MCP_SERVER_TIMEOUT', what: 'did not answer', isInjected: true });
  }

  onDelayed(id: string | number, by: ControlKind): void {
    if (by === 'fault') this.#delayed.add(id);
  }

  /** A call that the agent gives up while a fault delays it says nothing about the server, which some learn without a message. */
  #cancel(message: Readonly<Record<string, unknown>>): void {
    const id = isRecord(message.params) ? message.params.requestId : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return void this.#wire?.send(message);
    const end = { code: 'MCP_SERVER_TIMEOUT', what: 'was delayed until the agent gave up', isInjected: true } as const;
    if (this.#delayed.delete(id)) this.#relaying.log.unanswered(id, end);
    if (!this.#wire?.cancel(id)) this.#wire?.send(message);
  }

  #toServer(frame: Buffer): null {
    const sent = this.#exchange.toServer(frame);
    if (sent !== null) this.#send(sent ?? frame);
    return null;
  }

  #send(frame: Buffer): void {
    for (const line of frame.toString('utf8').split('\n')) {
      const message = parseJson(line);
      for (const part of Array.isArray(message) ? message : [message]) if (isRecord(part)) this.#sendMessage(part);
    }
  }

  #sendMessage(message: Readonly<Record<string, unknown>>): void {
    const { method, id } = message;
    if (method === 'notifications/cancelled') return void this.#cancel(message);
    if (method === 'initialize') this.#initializeId = id;
    if (method !== undefined && id !== undefined) this.#waiting.add(id);
    this.#wire?.send(message);
  }
}
