import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { printable } from '../../shared/text.ts';
import type { IncomingHandlers } from './incoming.ts';
import { RpcPeer } from './rpc-peer.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type { McpAnswer, OpenSessionOptions, ServerFacts } from './session.ts';
import { openWire } from './wire/open-wire.ts';
import { mostStrays, type Wire, type WireEnd, WireError, type WireListener } from './wire/wire.ts';
import { withinLimits } from './wire/within-limits.ts';

/** Supported protocol versions; the first is requested. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

type Greeting = Omit<ServerFacts, 'label' | 'transport'>;

/** Begins a session as the protocol says; what the server says of itself is checked. */
async function shakeHands(label: string, peer: RpcPeer, options: OpenSessionOptions): Promise<Greeting> {
  const { timeoutMs, signal, capabilities = {}, clientVersion = '1' } = options;
  const clientInfo = { name: 'assay', title: 'Assay', version: clientVersion };
  const params = { protocolVersion: protocolVersions[0], capabilities, clientInfo };
  return greetingFrom(label, await peer.request('initialize', params, { timeoutMs, signal }));
}

function greetingFrom(label: string, answer: McpAnswer): Greeting {
  if (answer.kind === 'error') {
    const supported = isRecord(answer.data) ? answer.data.supported : undefined;
    if (Array.isArray(supported)) throw otherVersion(label, supported, `only version ${supported.join(', ')}`);
    const message = `The MCP server "${label}" refused to start a session: ${printable(answer.message)} (${answer.code}).`;
    throw new AssayError('MCP_SERVER_NOT_STARTED', message);
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = answer.result;
  if (!isSpoken(protocolVersion)) {
    const theirs = typeof protocolVersion === 'string' ? `version ${protocolVersion}` : 'no version';
    throw otherVersion(label, [protocolVersion], theirs);
  }
  if (!isRecord(capabilities)) throw violation(label, 'answered initialize without `capabilities`');
  if (!isRecord(serverInfo) || typeof serverInfo.name !== 'string')
    throw violation(label, 'answered initialize without `serverInfo.name`');
  return {
    name: printable(serverInfo.name),
    version: typeof serverInfo.version === 'string' ? printable(serverInfo.version) : '',
    protocolVersion,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function isSpoken(version: unknown): version is string {
  return protocolVersions.some((spoken) => spoken === version);
}

/** A server is at fault for a version that never was, not for one that is newer than this program. */
function otherVersion(label: string, versions: readonly unknown[], theirs: string): AssayError {
  const what = `uses ${printable(theirs)} of the protocol; Assay supports ${protocolVersions.join(', ')}`;
  if (!versions.some(isNewer)) return violation(label, what);
  return new AssayError(
    'MCP_UNSUPPORTED',
    `The MCP server "${label}" ${what}, so this version of Assay cannot test it.`,
  );
}

function isNewer(version: unknown): boolean {
  return typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version > protocolVersions[0];
}

function violation(label: string, what: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" ${what}.`);
}

const lastLines = 8;
const mostStderrChars = 1_500;

interface ConnectionOptions extends Pick<OpenSessionOptions, 'onFrame'> {
  readonly incoming: IncomingHandlers;
  /** Called when the connection ends by itself after the handshake. */
  readonly onBroken: (error: AssayError) => void;
}

/** One wire to a server and the protocol on it, from the handshake to the end. */
export class Connection implements AsyncDisposable {
  readonly peer: RpcPeer;
  readonly label: string;
  readonly #isProgram: boolean;
  readonly #incoming: IncomingHandlers;
  readonly #onFrame: OpenSessionOptions['onFrame'];
  readonly #onBroken: (error: AssayError) => void;
  readonly #forgotten = new WeakSet<AssayError>();
  #wire: Wire | undefined;
  #isReady = false;
  #broken: AssayError | undefined;

  constructor(definition: ServerDefinition, options: ConnectionOptions) {
    const { incoming, onFrame, onBroken } = options;
    this.label = serverLabel(definition);
    this.#isProgram = definition.transport === 'stdio';
    this.#incoming = incoming;
    this.#onFrame = onFrame;
    this.#onBroken = onBroken;
    this.peer = new RpcPeer(this.label, incoming, (message) => void this.#send(message));
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
      // The next request may take another connection and must not arrive first.
      const greeted = this.#send({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} });
      if (greeted) await withinLimits(greeted, options, `the MCP server "${this.label}" to accept the session`);
      if (this.#broken) throw this.#broken;
      this.#isReady = true;
      return { label: this.label, transport: definition.transport, ...greeting };
    } catch (error) {
      await this.#wire?.[Symbol.asyncDispose]();
      throw error instanceof WireError ? this.#fault(error.end) : this.#withStderr(error);
    }
  }

  get processTag(): string | undefined {
    return this.#wire?.processTag;
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
    if (this.#incoming.violations.note('lines that are not messages', () => text) < mostStrays) return;
    this.#end({ code: 'MCP_PROTOCOL_VIOLATED', what: `printed ${mostStrays} lines that are not messages` });
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
    if (!(error instanceof AssayError) || error === this.#broken || error.code === 'INTERRUPTED') return error;
    return new AssayError(this.#codeNow(error.code), `${error.message}${this.#lastStderr()}`, { cause: error });
  }

  #lastStderr(): string {
    const lines = this.stderr()?.split('\n').filter(isTelling).slice(-lastLines) ?? [];
    const text = lines.map((line) => printable(line).trim()).join(' | ');
    return text === '' ? '' : ` Last lines of its stderr: ${text.slice(-mostStderrChars)}`;
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
