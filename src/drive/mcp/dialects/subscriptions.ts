import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { listChanges, metaKeys, reportsChanges } from '../protocol-versions.ts';
import type { PeerRequestOptions } from '../rpc-peer.ts';
import type { McpAnswer, McpRequestOptions } from '../session.ts';
import type { RequestId } from '../wire/wire.ts';
import { withinLimits } from '../wire/within-limits.ts';
import type { Line } from './dialect.ts';

type Params = Readonly<Record<string, unknown>>;
type Ask = (method: string, params: Params, options: PeerRequestOptions) => Promise<McpAnswer>;

/** How long a server may take to acknowledge. */
const acknowledgementMs = 2_000;

/** How a request for changes began: acknowledged, refused, or not at all. */
type Beginning =
  | { readonly kind: 'acknowledged'; readonly notifications: Params }
  | { readonly kind: 'refused'; readonly answer: McpAnswer }
  | { readonly kind: 'lost' };

/** One open `subscriptions/listen`. */
class ListenStream {
  readonly filter: string;
  readonly begun: Promise<Beginning>;
  readonly stop = new AbortController();
  id: RequestId | undefined;
  isOpening = true;
  #begin: (beginning: Beginning) => void = () => undefined;

  constructor(filter: string) {
    this.filter = filter;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  begin(beginning: Beginning): void {
    this.isOpening = false;
    this.#begin(beginning);
  }
}

/** Changes that the server reports: one stream, opened for the first listener, and replaced when more is wanted. */
export class Subscriptions {
  readonly #line: Line;
  readonly #ask: Ask;
  readonly #uris = new Set<string>();
  /** Kept when a listener goes: the next call may bring it back, and a stream is worth more than what it carries. */
  readonly #lists = new Set<string>();
  readonly #listeners: Disposable[] = [];
  #capabilities: Params = {};
  #stream: ListenStream | undefined;
  #isStale = false;

  constructor(line: Line, ask: Ask) {
    this.#line = line;
    this.#ask = ask;
  }

  begin(capabilities: Params): void {
    this.#capabilities = capabilities;
    const { incoming } = this.#line;
    this.#listeners.push(
      incoming.onNotification('notifications/subscriptions/acknowledged', (params) => this.#acknowledged(params)),
      incoming.onNotification('notifications/cancelled', (params) => this.#endedByServer(params)),
    );
    incoming.onListening = () => this.#listenSoon();
    this.#listenSoon();
  }

  /** Several listeners that come together are one request. */
  #listenSoon(): void {
    if (this.#isStale || !this.#needsUpdate()) return;
    this.#isStale = true;
    queueMicrotask(() => this.flush());
  }

  /** Requests at once what the listeners need. */
  flush(): void {
    if (this.#isStale) this.#update();
  }

  get isOpening(): boolean {
    return this.#stream?.isOpening ?? false;
  }

  /** Waits until the server knows what it has to report: the next request may change it. */
  async settled({ signal }: McpRequestOptions): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    try {
      await withinLimits(stream.begun, { timeoutMs: acknowledgementMs, signal }, 'an acknowledgement');
    } catch {
      if (signal?.aborted || !stream.isOpening) return;
      this.#line.incoming.violations.note('requests for changes without an acknowledgement', () => stream.filter);
      stream.isOpening = false;
    }
  }

  /** One resource: a separate request in the older protocol, and now a part of the stream. */
  async follow(method: string, { uri }: Params, options: McpRequestOptions & { sinceMs: number }): Promise<McpAnswer> {
    const resource = String(uri);
    const isWanted = method === 'resources/subscribe';
    if (isWanted) this.#uris.add(resource);
    else this.#uris.delete(resource);
    const stream = this.#update();
    const done = (): McpAnswer => ({ kind: 'result', result: {}, latencyMs: performance.now() - options.sinceMs });
    if (!stream) return done();
    const { label } = this.#line;
    const begun = await withinLimits(stream.begun, options, `the MCP server "${label}" to acknowledge ${method}`);
    if (begun.kind === 'acknowledged') {
      const { resourceSubscriptions: followed } = begun.notifications;
      if (!isWanted || (Array.isArray(followed) && followed.includes(resource))) return done();
    }
    this.#uris.delete(resource);
    if (begun.kind === 'refused') return begun.answer;
    const how = begun.kind === 'lost' ? 'ended the stream of changes' : 'does not agree to report';
    const message = `The MCP server "${label}" ${how} when changes were requested of ${printable(resource)}.`;
    throw new AssayError('MCP_FEATURE_ABSENT', message);
  }

  end(): void {
    this.#isStale = false;
    this.#line.incoming.onListening = undefined;
    for (const listener of this.#listeners.splice(0)) listener[Symbol.dispose]();
    this.#stream?.begin({ kind: 'lost' });
    this.#stream = undefined;
  }

  /** Every call listens for a while, and few of them for anything new. */
  #needsUpdate(): boolean {
    const isLost = !this.#stream && this.#lists.size + this.#uris.size > 0;
    return isLost || listChanges.some((change) => !this.#lists.has(change.key) && this.#isWanted(change));
  }

  #isWanted(change: (typeof listChanges)[number]): boolean {
    return reportsChanges(this.#capabilities, change) && this.#line.incoming.isListenedTo(change.notification);
  }

  #filter(): Params {
    for (const change of listChanges) if (this.#isWanted(change)) this.#lists.add(change.key);
    const lists = Object.fromEntries([...this.#lists].sort().map((key) => [key, true]));
    return this.#uris.size === 0 ? lists : { ...lists, resourceSubscriptions: [...this.#uris] };
  }

  /** The stream that reports all that is wanted; the one before it is closed when the new one is there. */
  #update(): ListenStream | undefined {
    this.#isStale = false;
    const notifications = this.#filter();
    const filter = JSON.stringify(notifications);
    const current = this.#stream;
    if (current?.filter === filter) return current;
    if (Object.keys(notifications).length === 0) {
      this.#stream = undefined;
      current?.stop.abort();
      return undefined;
    }
    const stream = new ListenStream(filter);
    this.#stream = stream;
    void this.#listen(stream, notifications);
    if (current) void stream.begun.then(() => current.stop.abort());
    return stream;
  }

  async #listen(stream: ListenStream, notifications: Params): Promise<void> {
    try {
      const answer = await this.#ask(
        'subscriptions/listen',
        { notifications },
        {
          timeoutMs: Number.POSITIVE_INFINITY,
          signal: stream.stop.signal,
          isInBackground: true,
          onId: (id) => {
            stream.id = id;
          },
        },
      );
      if (answer.kind === 'error') this.#refused(stream, answer);
      else this.#lost(stream);
    } catch {
      this.#lost(stream);
    }
  }

  /** Kept as the stream: what a server refuses is not requested again. */
  #refused(stream: ListenStream, answer: Extract<McpAnswer, { kind: 'error' }>): void {
    stream.begin({ kind: 'refused', answer });
    const example = (): string => `${stream.filter}: ${answer.message} (${answer.code})`;
    this.#line.incoming.violations.note('refusals to report changes that it offers', example);
  }

  #lost(stream: ListenStream): void {
    stream.begin({ kind: 'lost' });
    if (this.#stream === stream) this.#stream = undefined;
  }

  #acknowledged(params: unknown): void {
    if (!isRecord(params) || !isRecord(params._meta)) return;
    const stream = this.#stream;
    if (stream?.id === undefined || stream.id !== params._meta[metaKeys.subscriptionId]) return;
    stream.begin({ kind: 'acknowledged', notifications: isRecord(params.notifications) ? params.notifications : {} });
  }

  /** Over pipes, where a stream cannot be closed. */
  #endedByServer(params: unknown): void {
    const stream = this.#stream;
    if (stream?.id !== undefined && isRecord(params) && params.requestId === stream.id) stream.stop.abort();
  }
}
