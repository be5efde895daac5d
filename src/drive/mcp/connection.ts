import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import { printable } from '../../shared/text.ts';
import { shakeHands } from './handshake.ts';
import { openWire } from './open-wire.ts';
import type { Reception } from './reception.ts';
import { RpcPeer } from './rpc-peer.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type { OpenSessionOptions, ServerFacts } from './session.ts';
import { type Wire, type WireEnd, WireError, type WireListener } from './wire.ts';
import { mostStrays } from './wire-limits.ts';
import { withinLimits } from './within-limits.ts';

const lastLines = 8;
const mostStderrChars = 1_500;

interface Surroundings extends Pick<OpenSessionOptions, 'onFrame'> {
  readonly reception: Reception;
  /** Told when the connection ends by itself after the handshake. */
  readonly onBroken: (error: AssayError) => void;
}

/** One wire to a server and the protocol on it, from the handshake to the end. */
export class Connection implements AsyncDisposable {
  readonly peer: RpcPeer;
  readonly label: string;
  readonly #isProgram: boolean;
  readonly #reception: Reception;
  readonly #onFrame: OpenSessionOptions['onFrame'];
  readonly #onBroken: (error: AssayError) => void;
  readonly #forgotten = new WeakSet<AssayError>();
  #wire: Wire | undefined;
  #isReady = false;
  #broken: AssayError | undefined;

  constructor(definition: ServerDefinition, surroundings: Surroundings) {
    const { reception, onFrame, onBroken } = surroundings;
    this.label = serverLabel(definition);
    this.#isProgram = definition.transport === 'stdio';
    this.#reception = reception;
    this.#onFrame = onFrame;
    this.#onBroken = onBroken;
    this.peer = new RpcPeer(this.label, reception, (message) => void this.#send(message));
  }

  get broken(): AssayError | undefined {
    return this.#broken;
  }

  /** Whether a request failed only because the server does not know this session any more. */
  wasForgotten(error: unknown): boolean {
    return error instanceof AssayError && this.#forgotten.has(error);
  }

  /** Connects and shakes hands; what has been started is ended when that fails. */
  async open(definition: ServerDefinition, options: OpenSessionOptions): Promise<ServerFacts> {
    try {
      const dueAtMs = performance.now() + options.timeoutMs;
      const wire = await openWire(definition, options, this.#listener());
      this.#wire = wire;
      // Only an event stream takes time to open before the first message.
      const timeLeftMs = Math.max(1, Math.round(dueAtMs - performance.now()));
      const timeoutMs = definition.transport === 'sse' ? timeLeftMs : options.timeoutMs;
      const greeting = await shakeHands(this.label, this.peer, { ...options, timeoutMs });
      wire.useProtocolVersion(greeting.protocolVersion);
      // What is asked next may go another way and must not be there first.
      const greeted = this.#send({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} });
      if (greeted) await withinLimits(greeted, options, `the MCP server "${this.label}" to take part`);
      if (this.#broken) throw this.#broken;
      this.#isReady = true;
      return { label: this.label, transport: definition.transport, ...greeting };
    } catch (error) {
      await this.#wire?.[Symbol.asyncDispose]();
      throw error instanceof WireError ? this.#fault(error.end) : this.#withStderr(error);
    }
  }

  stderr(): string | undefined {
    return this.#wire?.stderr();
  }

  #send(message: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    this.#onFrame?.('to-server', message);
    return this.#wire?.send(message);
  }

  #listener(): WireListener {
    return {
      onMessage: (message) => {
        this.#onFrame?.('from-server', message);
        this.peer.receive(message);
      },
      onStray: (text) => this.#stray(text),
      onEnd: (end) => this.#end(end),
      onUnanswered: (requestId, end) => {
        const fault = this.#fault(end);
        if (end.isForgotten) this.#forgotten.add(fault);
        this.peer.reject(requestId, fault);
      },
    };
  }

  #stray(text: string): void {
    if (this.#reception.oddities.note('lines that are no messages', () => text) < mostStrays) return;
    this.#end({ code: 'MCP_PROTOCOL_VIOLATED', what: `printed ${mostStrays} lines that are no messages` });
    void this.#wire?.[Symbol.asyncDispose]();
  }

  #end(end: WireEnd): void {
    if (this.#broken) return;
    this.#broken = this.#fault(end);
    this.peer.end(this.#broken);
    if (this.#isReady) this.#onBroken(this.#broken);
  }

  #fault({ code, what }: WireEnd): AssayError {
    const owed = this.#isReady ? this.peer.waitsFor : [];
    const when = owed.length === 0 ? '' : ` while ${owed.join(', ')} waited for an answer`;
    const strays = this.#isReady ? [] : this.#reception.oddities.texts().map((text) => ` It sent ${text}.`);
    const message = `The MCP server "${this.label}" ${what}${when}.${strays.join('')}${this.#lastStderr()}`;
    return new AssayError(this.#codeNow(code), message);
  }

  /** A server that dies before it is ready was never there. */
  #codeNow(code: ErrorCode): ErrorCode {
    if (this.#isReady || (code !== 'MCP_SERVER_DIED' && code !== 'MCP_SERVER_NOT_STARTED')) return code;
    return this.#isProgram ? 'MCP_SERVER_NOT_STARTED' : 'MCP_SERVER_UNREACHABLE';
  }

  #withStderr(error: unknown): unknown {
    if (!(error instanceof AssayError) || error === this.#broken || error.code === 'INTERRUPTED') return error;
    return new AssayError(this.#codeNow(error.code), `${error.message}${this.#lastStderr()}`, { cause: error });
  }

  #lastStderr(): string {
    const lines = this.stderr()?.split('\n').filter(isTelling).slice(-lastLines) ?? [];
    const text = lines.map((line) => printable(line).trim()).join(' | ');
    return text === '' ? '' : ` The last of its stderr: ${text.slice(-mostStderrChars)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#broken ??= new AssayError('MCP_SERVER_DIED', `The session with the MCP server "${this.label}" was ended.`);
    this.peer.end(this.#broken);
    await this.#wire?.[Symbol.asyncDispose]();
  }
}

/** The frames of a stack would push out the error that they belong to. */
function isTelling(line: string): boolean {
  return line.trim() !== '' && !/^\s+at /.test(line);
}
