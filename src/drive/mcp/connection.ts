import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import { causedBy, controlFaults } from './control/mcp-reply.ts';
import type { Dialect, Line } from './dialects/dialect.ts';
import { type Approach, LateDiscovery, openDialect } from './dialects/open-dialect.ts';
import type { IncomingHandlers } from './incoming.ts';
import { lastStderr } from './last-stderr.ts';
import { RpcPeer } from './rpc-peer.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type { OpenSessionOptions, ServerFacts } from './session.ts';
import { openWire } from './wire/open-wire.ts';
import { mostStrays, type RequestId, type Wire, type WireEnd, WireError, type WireListener } from './wire/wire.ts';

interface ConnectionOptions extends Pick<OpenSessionOptions, 'onFrame' | 'takesRefused'> {
  readonly incoming: IncomingHandlers;
  /** Called when the connection ends by itself after the handshake. */
  readonly onBroken: (error: AssayError) => void;
}

/** The time limit counts from `sinceMs` on. */
interface ConnectOptions extends OpenSessionOptions {
  readonly sinceMs: number;
}

type Message = Readonly<Record<string, unknown>>;

/** One wire to a server and the protocol on it, from the handshake to the end. */
export class Connection implements AsyncDisposable {
  readonly label: string;
  readonly #peer: RpcPeer;
  readonly #isProgram: boolean;
  readonly #incoming: IncomingHandlers;
  readonly #onFrame: OpenSessionOptions['onFrame'];
  readonly #onBroken: (error: AssayError) => void;
  readonly #forgotten = new WeakSet<AssayError>();
  #wire: Wire | undefined;
  #dialect: Dialect | undefined;
  #isReady = false;
  /** Whether a program that ran has ended. */
  hasEnded = false;
  broken: AssayError | undefined;

  constructor(definition: ServerDefinition, options: ConnectionOptions) {
    const { incoming, onFrame, onBroken, takesRefused = false } = options;
    this.label = serverLabel(definition);
    this.#isProgram = definition.transport === 'stdio';
    this.#incoming = incoming;
    this.#onFrame = onFrame;
    this.#onBroken = onBroken;
    this.#peer = new RpcPeer(this.label, incoming, {
      send: (message, headers) => void this.#send(message, headers),
      cancel: (requestId, reason) => this.#cancel(requestId, reason),
    });
    this.#peer.takesRefused = takesRefused;
  }

  /** Whether a request failed only because the server does not know this session any more. */
  wasForgotten(error: unknown): boolean {
    return error instanceof AssayError && this.#forgotten.has(error);
  }

  /** Whether the server answered any request. */
  get hasAnswered(): boolean {
    return this.#peer.hasAnswered;
  }

  /** Connects and begins to talk; what has been started is ended when that fails. */
  async open(definition: ServerDefinition, approach: Approach, options: ConnectOptions): Promise<ServerFacts> {
    try {
      // Loading the schemas takes as long as a program needs to start.
      const rules = import('./schemas/message-rules.ts');
      this.#wire = await openWire(definition, options, this.#listener());
      const { officialRules } = await rules;
      this.#peer.rules = officialRules;
      const { dialect, greeting } = await openDialect(approach, this.#line(definition, officialRules), options);
      this.#dialect = dialect;
      if (this.broken) throw this.broken;
      this.#isReady = true;
      return { label: this.label, transport: definition.transport, era: dialect.era, ...greeting };
    } catch (error) {
      await this.#wire?.[Symbol.asyncDispose]();
      if (error instanceof LateDiscovery) throw error;
      throw error instanceof WireError ? this.#fault(error.end) : this.#withStderr(error);
    }
  }

  /** The rules by which official clients refuse messages. */
  get rules(): MessageRules {
    if (!this.#peer.rules) throw new AssayError('INTERNAL', 'The connection was used before it was opened.');
    return this.#peer.rules;
  }

  /** How the protocol is spoken on it. */
  get dialect(): Dialect {
    if (!this.#dialect) throw new AssayError('INTERNAL', 'The connection was used before it was opened.');
    return this.#dialect;
  }

  get processTag(): string | undefined {
    return this.#wire?.processTag;
  }

  stderr(): string | undefined {
    return this.#wire?.stderr();
  }

  #line({ transport }: ServerDefinition, rules: MessageRules): Line {
    return {
      label: this.label,
      rules,
      transport,
      peer: this.#peer,
      incoming: this.#incoming,
      notify: (method, params) => this.#send({ jsonrpc: '2.0', method, params }),
      useProtocolVersion: (version) => this.#wire?.useProtocolVersion(version),
    };
  }

  #send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void> | undefined {
    this.#onFrame?.('to-server', message);
    return this.#wire?.send(message, headers);
  }

  #cancel(requestId: RequestId, reason: string): void {
    if (this.#wire?.cancel(requestId)) return;
    void this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
  }

  #listener(): WireListener {
    return {
      onMessage: (message) => {
        this.#onFrame?.('from-server', message);
        this.#peer.receive(message);
      },
      onStray: (text) => this.#stray(text),
      onEnd: (end) => this.#end(end),
      onUnanswered: (requestId, end) => {
        const fault = end.isInjected ? causedBy(this.#fault(end), 'fault') : this.#fault(end);
        if (end.isForgotten) this.#forgotten.add(fault);
        this.#peer.reject(requestId, fault);
      },
      onSilenced: (requestId) => this.#peer.holdBack(requestId, 'fault'),
      onDelayed: (requestId, by) => this.#peer.holdBack(requestId, by),
    };
  }

  #stray(text: string): void {
    const kind = isPartOfPrinted(text)
      ? 'lines of messages that are printed over several lines'
      : 'lines that are not messages';
    if (this.#incoming.violations.note(kind, () => text) < mostStrays) return;
    this.#end({ code: 'MCP_PROTOCOL_VIOLATED', what: `printed ${mostStrays} lines that are not messages` });
    void this.#wire?.[Symbol.asyncDispose]();
  }

  #end(end: WireEnd): void {
    if (this.broken) return;
    this.hasEnded = end.code === 'MCP_SERVER_DIED';
    this.broken = this.#fault(end);
    this.#dialect?.end();
    this.#peer.end(this.broken);
    if (this.#isReady) this.#onBroken(this.broken);
  }

  #fault({ code, what }: WireEnd): AssayError {
    // A rule of the scenario is wrong whatever waits for it.
    const owed = this.#isReady && !controlFaults.has(code) ? this.#peer.waitsFor : [];
    const when = owed.length === 0 ? '' : ` while ${owed.join(', ')} waited for an answer`;
    const strays = this.#isReady ? [] : this.#incoming.violations.texts().map((text) => ` It sent ${text}.`);
    const message = `The MCP server "${this.label}" ${what}${when}.${strays.join('')}${this.#lastStderr()}`;
    return new AssayError(this.#codeNow(code), message);
  }

  /** A server that dies before it is ready was never there. */
  #codeNow(code: ErrorCode): ErrorCode {
    if (this.#isReady || (code !== 'MCP_SERVER_DIED' && code !== 'MCP_SERVER_NOT_STARTED')) return code;
    return this.#isProgram ? 'MCP_SERVER_NOT_STARTED' : 'MCP_SERVER_UNREACHABLE';
  }

  #withStderr(error: unknown): unknown {
    if (!(error instanceof AssayError) || error === this.broken || error.code === 'INTERRUPTED') return error;
    return new AssayError(this.#codeNow(error.code), `${error.message}${this.#lastStderr()}`, { cause: error });
  }

  #lastStderr(): string {
    return lastStderr(this.stderr());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.broken ??= new AssayError('MCP_SERVER_DIED', `The session with the MCP server "${this.label}" was ended.`);
    this.#dialect?.end();
    this.#peer.end(this.broken);
    await this.#wire?.[Symbol.asyncDispose]();
  }
}

/** Whether a line is one of a JSON text that is printed over several lines, which official clients cannot read either. */
function isPartOfPrinted(line: string): boolean {
  return /^\s*[{}[\]]+,?\s*$|^\s*"[^"]+":|^\s*"[^"]*",?\s*$/.test(line);
}
