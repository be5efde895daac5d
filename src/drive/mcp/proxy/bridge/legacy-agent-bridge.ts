import { isRecord } from '../../../../shared/json.ts';
import { methodNotFound } from '../../../../shared/json-rpc.ts';
import {
  legacyVersions,
  listChanges,
  metaKeys,
  metaOf,
  modernVersions,
  reportsChanges,
} from '../../protocol-versions.ts';
import { type BridgeEnds, type Message, paramsOf, type Stage, without } from '../stage.ts';
import { AgentInput } from './agent-input.ts';

interface SentRequest {
  /** Undefined where the agent does not wait for the answer. */
  readonly agentId: unknown;
  readonly method: string;
  readonly params: Message;
  readonly onResult: (result: Message) => void;
}

/** Lets an agent that begins with a handshake use a server that knows none. */
export class LegacyAgentBridge implements Stage {
  readonly #ends: BridgeEnds;
  readonly #sent = new Map<unknown, SentRequest>();
  readonly #input: AgentInput;
  readonly #uris = new Set<unknown>();
  #clientMeta: Message = {};
  #capabilities: Message = {};
  #listenId: string | undefined;
  #ids = 0;

  constructor(ends: BridgeEnds) {
    this.#ends = ends;
    this.#input = new AgentInput((message) => ends.toAgent(message));
  }

  fromAgent(message: Message): void {
    const { id, method } = message;
    if (method === undefined) this.#input.answered(message);
    else if (id === undefined) this.#notified(message);
    else if (method === 'initialize') this.#begin(message);
    else if (method === 'ping') this.#answer(id, {});
    else if (method === 'logging/setLevel') {
      this.#clientMeta = { ...this.#clientMeta, [metaKeys.logLevel]: paramsOf(message).level };
      this.#answer(id, {});
    } else if (method === 'resources/subscribe' || method === 'resources/unsubscribe') this.#follow(message);
    else this.#relay(id, String(method), paramsOf(message));
  }

  fromServer(message: Message): void {
    const { id, method, result, error } = message;
    if (method !== undefined && id !== undefined) {
      const refusal = { code: methodNotFound, message: 'Servers of this version of the protocol send no requests' };
      this.#ends.toServer({ jsonrpc: '2.0', id, error: refusal });
    } else if (method !== undefined) this.#heard(message);
    else {
      const sent = this.#sent.get(id);
      this.#sent.delete(id);
      if (sent && isRecord(result)) sent.onResult(result);
      else if (sent?.agentId !== undefined) this.#ends.toAgent({ jsonrpc: '2.0', id: sent.agentId, error });
    }
  }

  #begin(message: Message): void {
    const { protocolVersion, capabilities, clientInfo } = paramsOf(message);
    this.#clientMeta = {
      [metaKeys.version]: modernVersions[0],
      [metaKeys.clientCapabilities]: isRecord(capabilities) ? capabilities : {},
      ...(isRecord(clientInfo) ? { [metaKeys.clientInfo]: clientInfo } : {}),
    };
    const version = legacyVersions.find((known) => known === protocolVersion) ?? legacyVersions[0];
    this.#ask('server/discover', {}, message.id, (result) => {
      this.#capabilities = isRecord(result.capabilities) ? result.capabilities : {};
      const serverInfo = metaOf(result)[metaKeys.serverInfo] ?? { name: 'unnamed', version: '' };
      const { instructions } = result;
      const greeting = { protocolVersion: version, capabilities: this.#capabilities, serverInfo };
      this.#answer(message.id, instructions === undefined ? greeting : { ...greeting, instructions });
    });
  }

  #notified({ method, params }: Message): void {
    if (method === 'notifications/initialized') this.#listen();
    if (method !== 'notifications/cancelled') return;
    const { requestId } = paramsOf({ params });
    this.#input.cancel(requestId);
    for (const [id, { agentId }] of this.#sent) if (agentId === requestId) this.#cancel(id);
  }

  /** Changes that older servers report on their own have to be requested from newer ones. */
  #listen(): void {
    const offers = listChanges.filter((change) => reportsChanges(this.#capabilities, change));
    const notifications: Message = {
      ...Object.fromEntries(offers.map(({ key }) => [key, true])),
      ...(this.#uris.size > 0 ? { resourceSubscriptions: [...this.#uris] } : {}),
    };
    const before = this.#listenId;
    const isNeeded = Object.keys(notifications).length > 0;
    this.#listenId = isNeeded
      ? this.#ask('subscriptions/listen', { notifications }, undefined, () => undefined)
      : undefined;
    if (before !== undefined) this.#cancel(before);
  }

  #follow({ id, method, params }: Message): void {
    const { uri } = paramsOf({ params });
    if (method === 'resources/subscribe') this.#uris.add(uri);
    else this.#uris.delete(uri);
    this.#listen();
    this.#answer(id, {});
  }

  #relay(agentId: unknown, method: string, params: Message): void {
    this.#ask(method, params, agentId, (result) => {
      if (result.resultType !== 'input_required') {
        this.#answer(agentId, without(result, 'resultType'));
        return;
      }
      const again = without(params, 'inputResponses', 'requestState');
      this.#input.request(agentId, result, (given) => this.#relay(agentId, method, { ...again, ...given }));
    });
  }

  #ask(method: string, params: Message, agentId: unknown, onResult: SentRequest['onResult']): string {
    const id = `assay-${++this.#ids}`;
    this.#sent.set(id, { agentId, method, params, onResult });
    const _meta = { ...metaOf(params), ...this.#clientMeta };
    this.#ends.toServer({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return id;
  }

  #cancel(requestId: unknown): void {
    this.#sent.delete(requestId);
    this.#ends.toServer({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  #heard({ method, params }: Message): void {
    if (method === 'notifications/subscriptions/acknowledged' || method === 'notifications/cancelled') return;
    const { _meta, ...rest } = paramsOf({ params });
    const meta = without(metaOf({ _meta }), metaKeys.subscriptionId);
    const own = Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
    this.#ends.toAgent({ jsonrpc: '2.0', method, ...(Object.keys(own).length > 0 ? { params: own } : {}) });
  }

  #answer(id: unknown, result: Message): void {
    this.#ends.toAgent({ jsonrpc: '2.0', id, result });
  }
}
