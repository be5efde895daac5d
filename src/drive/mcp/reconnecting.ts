import { setTimeout as pause } from 'node:timers/promises';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { Connection } from './connection.ts';
import type { Dialect } from './dialects/dialect.ts';
import { type Approach, approachOf, LateDiscovery } from './dialects/open-dialect.ts';
import type { IncomingHandlers } from './incoming.ts';
import { knownEra, rememberEra } from './known-eras.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { Era, McpAnswer, McpRequestOptions, OpenSessionOptions, ServerFacts } from './session.ts';
import { withinLimits } from './wire/within-limits.ts';

interface Link {
  readonly connection: Connection;
  readonly facts: ServerFacts;
}

interface TimedOptions extends OpenSessionOptions {
  readonly sinceMs: number;
}

interface Attempts {
  readonly most: number;
  readonly intervalMs: number;
}

/** The connection of a session, made again where its transport provides for that. */
export class Reconnecting implements AsyncDisposable {
  readonly #definition: ServerDefinition;
  readonly #options: OpenSessionOptions;
  readonly #incoming: IncomingHandlers;
  readonly #closing = new AbortController();
  #link: Link | undefined;
  #retired: Connection | undefined;
  #renewing: Promise<Link> | undefined;
  broken: AssayError | undefined;

  constructor(definition: ServerDefinition, options: OpenSessionOptions, incoming: IncomingHandlers) {
    this.#definition = definition;
    this.#options = options;
    this.#incoming = incoming;
  }

  get facts(): ServerFacts {
    return this.#opened.facts;
  }

  get #opened(): Link {
    if (!this.#link) throw new AssayError('INTERNAL', 'The session was used before it was opened.');
    return this.#link;
  }

  async open(): Promise<void> {
    this.#link = await this.#connect(this.#options);
  }

  protected get dialect(): Dialect {
    return this.#opened.connection.dialect;
  }

  get aliveMethod(): string {
    return this.dialect.aliveMethod;
  }

  protected get rules(): MessageRules {
    return this.#opened.connection.rules;
  }

  get processTag(): string | undefined {
    return this.#link?.connection.processTag;
  }

  stderr(): string | undefined {
    return this.#link?.connection.stderr();
  }

  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<McpAnswer> {
    const dueAtMs = performance.now() + options.timeoutMs;
    if (this.#renewing) {
      const { connection } = await this.#wait(this.#renewing, options);
      return connection.dialect.request(method, params, withTimeLeft(options, dueAtMs));
    }
    const { connection } = this.#opened;
    try {
      return await connection.dialect.request(method, params, options);
    } catch (error) {
      if (!connection.wasForgotten(error)) throw error;
      const renewed = await this.#wait(this.#renew(connection, { most: 1, intervalMs: 0 }), options);
      return renewed.connection.dialect.request(method, params, withTimeLeft(options, dueAtMs));
    }
  }

  /** Asks a server once which era it is of, and again when what is known of it does not hold any more. */
  async #connect(options: OpenSessionOptions): Promise<Link> {
    const approach = approachOf(this.#definition);
    const { directory } = options;
    const earlier = approach === 'ask' ? knownEra(this.#definition, directory) : undefined;
    const first = this.#newConnection(options);
    const timed = { ...options, sinceMs: performance.now() };
    const link = await this.#open(first, earlier ?? approach, timed).catch((error: unknown) => {
      const next = error instanceof LateDiscovery ? 'modern' : nextApproach(earlier ?? approach, earlier, first);
      if (next === undefined || timed.signal?.aborted) throw error;
      return this.#open(this.#newConnection(options), next, timed);
    });
    if (approach === 'ask') rememberEra(this.#definition, directory, link.facts.era);
    return link;
  }

  #newConnection({ onFrame, takesRefused }: OpenSessionOptions): Connection {
    const connection: Connection = new Connection(this.#definition, {
      incoming: this.#incoming,
      onFrame,
      takesRefused,
      onBroken: (error) => this.#lost(connection, error),
    });
    return connection;
  }

  async #open(connection: Connection, approach: Approach, options: TimedOptions): Promise<Link> {
    return { connection, facts: await connection.open(this.#definition, approach, options) };
  }

  #lost(connection: Connection, error: AssayError): void {
    if (this.#link?.connection !== connection) return;
    const definition = this.#definition;
    if (definition.transport === 'sse' && definition.reconnect && definition.maxReconnectAttempts > 0)
      this.#renew(connection, { most: definition.maxReconnectAttempts, intervalMs: definition.reconnectInterval });
    else this.#end(error);
  }

  #end(error: AssayError): void {
    this.broken = error;
    this.#options.onBroken?.();
  }

  /** Those who lost the same connection wait for the same new one. */
  #renew(lost: Connection, attempts: Attempts): Promise<Link> {
    const current = this.#opened;
    if (current.connection !== lost) return this.#renewing ?? Promise.resolve(current);
    if (!this.#renewing) {
      this.#renewing = this.#tryAgain(lost, attempts);
      // The callers that wait for it see the failure.
      this.#renewing.catch(() => undefined);
    }
    return this.#renewing;
  }

  async #tryAgain(lost: Connection, { most, intervalMs }: Attempts): Promise<Link> {
    const { signal } = this.#closing;
    try {
      for (let attempt = 1; ; attempt++) {
        await pause(intervalMs, undefined, { signal });
        const link = await this.#connect({ ...this.#options, signal }).catch((error: unknown) => {
          if (attempt >= most || signal.aborted) throw error;
        });
        if (!link) continue;
        this.#link = link;
        // Earlier requests may still be answered, so it is kept until the next connection is lost.
        void this.#retired?.[Symbol.asyncDispose]();
        this.#retired = lost;
        return link;
      }
    } catch (error) {
      const end = asAssayError(error, 'INTERRUPTED');
      this.#end(end);
      throw end;
    } finally {
      this.#renewing = undefined;
    }
  }

  #wait(renewing: Promise<Link>, options: McpRequestOptions): Promise<Link> {
    return withinLimits(renewing, options, `a new connection to the MCP server "${this.facts.label}"`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#renewing?.catch(() => undefined);
    await this.#retired?.[Symbol.asyncDispose]();
    await this.#link?.connection[Symbol.asyncDispose]();
    this.broken ??= this.#link?.connection.broken;
  }
}

/**
 * Another way to open a server after one that failed: some servers of the older era end at a request
 * that they do not know, and one that had the handshake before may have become a newer one.
 */
function nextApproach(tried: Approach, earlier: Era | undefined, connection: Connection): Approach | undefined {
  if (tried === 'ask') return connection.hasEnded && !connection.hasAnswered ? 'legacy' : undefined;
  return earlier === 'legacy' && connection.hasAnswered ? 'ask' : undefined;
}

function withTimeLeft(options: McpRequestOptions, dueAtMs: number): McpRequestOptions {
  return { ...options, timeoutMs: Math.max(1, Math.round(dueAtMs - performance.now())) };
}
