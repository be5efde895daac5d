import { isRecord } from '../../../../shared/json.ts';
import { listChanges, metaKeys, metaOf } from '../../protocol-versions.ts';
import { type BridgeEnds, type Message, paramsOf } from '../stage.ts';

interface Stream {
  readonly lists: ReadonlySet<string>;
  readonly uris: readonly unknown[];
}

/** The `subscriptions/listen` requests of an agent, at a server that reports changes on its own. */
export class ListenStreams {
  readonly #ends: BridgeEnds;
  readonly #ask: (method: string, params: Message) => void;
  readonly #streams = new Map<unknown, Stream>();

  constructor(ends: BridgeEnds, ask: (method: string, params: Message) => void) {
    this.#ends = ends;
    this.#ask = ask;
  }

  open(id: unknown, params: Message): void {
    const wanted = isRecord(params.notifications) ? params.notifications : {};
    const { resourceSubscriptions } = wanted;
    const uris: readonly unknown[] = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
    const lists = new Set<string>(listChanges.flatMap(({ key }) => (wanted[key] === true ? [key] : [])));
    this.#streams.set(id, { lists, uris });
    for (const uri of uris) this.#ask('resources/subscribe', { uri });
    const notifications = {
      ...Object.fromEntries([...lists].map((key) => [key, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    this.#send(id, { method: 'notifications/subscriptions/acknowledged', params: { notifications } });
  }

  /** True where it was a stream. */
  close(id: unknown): boolean {
    const stream = this.#streams.get(id);
    if (!stream) return false;
    this.#streams.delete(id);
    const others = [...this.#streams.values()].flatMap(({ uris }) => uris);
    for (const uri of stream.uris) if (!others.includes(uri)) this.#ask('resources/unsubscribe', { uri });
    return true;
  }

  /** True where it was a change; only the streams that requested it carry it. */
  report(message: Message): boolean {
    const { method } = message;
    const change = listChanges.find(({ notification }) => notification === method);
    if (!change && method !== 'notifications/resources/updated') return false;
    const { uri } = paramsOf(message);
    for (const [id, { lists, uris }] of this.#streams) {
      if (change ? lists.has(change.key) : uris.includes(uri)) this.#send(id, message);
    }
    return true;
  }

  #send(id: unknown, { method, params }: Message): void {
    const own = paramsOf({ params });
    const _meta = { ...metaOf(own), [metaKeys.subscriptionId]: id };
    this.#ends.toAgent({ jsonrpc: '2.0', method, params: { ...own, _meta } });
  }
}
