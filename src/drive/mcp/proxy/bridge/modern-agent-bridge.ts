import { isRecord } from '../../../../shared/json.ts';
import { internalError, invalidParams, methodNotFound } from '../../../../shared/json-rpc.ts';
import {
  inputCapabilities,
  legacyVersions,
  mayNeedInput,
  metaKeys,
  metaOf,
  modernVersions,
} from '../../protocol-versions.ts';
import { type BridgeEnds, type Message, paramsOf, type Stage, without } from '../stage.ts';
import { ListenStreams } from './listen-streams.ts';
import { OpenCalls } from './open-calls.ts';

const agentVersions: readonly string[] = modernVersions;
const unsupportedVersion = -32_022;
const legacyResourceNotFound = -32_002;
const removedMethods: ReadonlySet<unknown> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const cacheable: ReadonlySet<unknown> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Lets an agent whose requests stand for themselves use a server that needs a handshake. */
export class ModernAgentBridge implements Stage {
  readonly #ends: BridgeEnds;
  readonly #calls: OpenCalls;
  readonly #streams: ListenStreams;
  /** Requests that wait for the handshake; undefined after it. */
  #queue: Message[] | undefined = [];
  #initializeId: string | undefined;
  #greeting: Message = {};
  #logLevel: unknown;
  #ids = 0;

  constructor(ends: BridgeEnds) {
    this.#ends = ends;
    this.#calls = new OpenCalls(ends, (id, method, result) => this.#answer(id, method, result));
    this.#streams = new ListenStreams(ends, (method, params) => void this.#ask(method, params));
  }

  fromAgent(message: Message): void {
    const { id, method } = message;
    if (method === 'notifications/cancelled') this.#cancelled(paramsOf(message).requestId);
    if (method === undefined || id === undefined) return;
    const refusal = refusalOf(message);
    if (refusal) this.#ends.toAgent({ jsonrpc: '2.0', id, error: refusal });
    else if (this.#queue) {
      this.#queue.push(message);
      this.#greet(metaOf(paramsOf(message)));
    } else this.#handle(message);
  }

  fromServer(message: Message): void {
    const { id, method } = message;
    if (method === undefined && id === this.#initializeId) this.#greeted(message);
    else if (method === undefined) this.#calls.answered(withModernError(message));
    else if (id === undefined) this.#heard(message);
    else if (method === 'ping') this.#ends.toServer({ jsonrpc: '2.0', id, result: {} });
    else if (Object.hasOwn(inputCapabilities, String(method))) this.#calls.needInput(message);
    else this.#ends.toServer({ jsonrpc: '2.0', id, error: { code: methodNotFound, message: 'Method not found' } });
  }

  #greet(meta: Message): void {
    if (this.#initializeId !== undefined) return;
    const { [metaKeys.clientCapabilities]: capabilities = {}, [metaKeys.clientInfo]: clientInfo } = meta;
    const params = {
      protocolVersion: legacyVersions[0],
      capabilities,
      clientInfo: clientInfo ?? { name: 'unnamed', version: '' },
    };
    this.#initializeId = this.#ask('initialize', params);
  }

  #greeted({ result, error }: Message): void {
    const queue = this.#queue ?? [];
    if (!isRecord(result)) {
      this.#queue = [];
      this.#initializeId = undefined;
      const why = isRecord(error) ? error : { code: internalError, message: 'The server did not accept the handshake' };
      for (const { id } of queue) this.#ends.toAgent({ jsonrpc: '2.0', id, error: why });
      return;
    }
    this.#greeting = result;
    this.#queue = undefined;
    this.#ends.toServer({ jsonrpc: '2.0', method: 'notifications/initialized' });
    for (const request of queue) this.#handle(request);
  }

  #handle(message: Message): void {
    const { id, method } = message;
    const params = paramsOf(message);
    if (method === 'server/discover') this.#discovered(id);
    else if (method === 'subscriptions/listen') this.#streams.open(id, params);
    else if (!this.#calls.resume(id, params)) this.#relay(id, method, params);
  }

  #relay(id: unknown, method: unknown, params: Message): void {
    const meta = metaOf(params);
    this.#setLogLevel(meta[metaKeys.logLevel]);
    const { version, clientInfo, clientCapabilities, logLevel } = metaKeys;
    const ownMeta = without(meta, version, clientInfo, clientCapabilities, logLevel);
    const own = without(params, '_meta', 'inputResponses', 'requestState');
    const sent = Object.keys(ownMeta).length > 0 ? { ...own, _meta: ownMeta } : own;
    this.#calls.open(this.#ask(String(method), sent), { agentId: id, method, mayPause: mayNeedInput.has(method) });
  }

  #discovered(id: unknown): void {
    const { capabilities = {}, instructions } = this.#greeting;
    const facts = { supportedVersions: agentVersions, capabilities };
    this.#answer(id, 'server/discover', instructions === undefined ? facts : { ...facts, instructions });
  }

  /** A server of the older era has one level for all requests. */
  #setLogLevel(level: unknown): void {
    if (level === undefined || level === this.#logLevel || !isRecord(this.#greeting.capabilities)) return;
    if (!isRecord(this.#greeting.capabilities.logging)) return;
    this.#logLevel = level;
    this.#ask('logging/setLevel', { level });
  }

  #cancelled(requestId: unknown): void {
    if (!this.#streams.close(requestId)) this.#calls.cancel(requestId);
    this.#queue = this.#queue?.filter(({ id }) => id !== requestId);
  }

  #heard(message: Message): void {
    if (this.#streams.report(message)) return;
    const { method } = message;
    const isLog = method === 'notifications/message' && this.#logLevel !== undefined;
    if (isLog || method === 'notifications/progress') this.#ends.toAgent(message);
  }

  #ask(method: string, params: Message): string {
    const id = `assay-${++this.#ids}`;
    this.#ends.toServer({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  #answer(id: unknown, method: unknown, result: Message): void {
    const { serverInfo } = this.#greeting;
    const _meta = { ...metaOf(result), ...(serverInfo === undefined ? {} : { [metaKeys.serverInfo]: serverInfo }) };
    const hints = cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {};
    this.#ends.toAgent({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...hints, ...result, _meta } });
  }
}

function refusalOf(message: Message): Message | undefined {
  if (removedMethods.has(message.method)) return { code: methodNotFound, message: 'Method not found' };
  const meta = metaOf(paramsOf(message));
  const { [metaKeys.version]: version, [metaKeys.clientCapabilities]: capabilities } = meta;
  if (typeof version !== 'string' || !isRecord(capabilities))
    return { code: invalidParams, message: 'The request lacks its version or the capabilities of the client' };
  if (agentVersions.includes(version)) return undefined;
  const data = { supported: agentVersions, requested: version };
  return { code: unsupportedVersion, message: `Unsupported protocol version: ${version}`, data };
}

function withModernError(message: Message): Message {
  const { error } = message;
  if (!isRecord(error) || error.code !== legacyResourceNotFound) return message;
  return { ...message, error: { ...error, code: invalidParams } };
}
