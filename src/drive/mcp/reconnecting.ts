import { setTimeout as pause } from 'node:timers/promises';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { Connection } from './connection.ts';
import type { IncomingHandlers } from './incoming.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { McpAnswer, McpRequestOptions, OpenSessionOptions, ServerFacts } from './session.ts';
import { withinLimits } from './wire/within-limits.ts';

interface Link {
  readonly connection: Connection;
  readonly facts: ServerFacts;
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
  #broken: AssayError | undefined;

  constructor(definition: ServerDefinition, options: OpenSessionOptions, incoming: IncomingHandlers) {
    this.#definition = definition;
    this.#options = options;
    this.#incoming = incoming;
  }

  get facts(): ServerFacts {
    return this.#opened.facts;
  }

  get broken(): AssayError | undefined {
    return this.#broken;
  }

  get #opened(): Link {
    if (!this.#link) throw new AssayError('INTERNAL', 'The session was used before it was opened.');
    return this.#link;
  }

  async open(): Promise<void> {
    this.#link = await this.#connect(this.#options);
  }

  get aliveMethod(): string {
    return this.#opened.connection.aliveMethod;
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
      return connection.request(method, params, withTimeLeft(options, dueAtMs));
    }
    const { connection } = this.#opened;
    try {
      return await connection.request(method, params, options);
    } catch (error) {
      if (!connection.wasForgotten(error)) throw error;
      const renewed = await this.#wait(this.#renew(connection, { most: 1, intervalMs: 0 }), options);
      return renewed.connection.request(method, params, withTimeLeft(options, dueAtMs));
    }
  }

  async #connect(options: OpenSessionOptions): Promise<Link> {
    const connection: Connection = new Connection(this.#definition, {
      incoming: this.#incoming,
      onFrame: options.onFrame,
      onBroken: (error) => this.#lost(connection, error),
    });
    return { connection, facts: await connection.open(this.#definition, options) };
  }

  #lost(connection: Connection, error: AssayError): void {
    if (this.#link?.connection !== connection) return;
    const definition = this.#definition;
    if (definition.transport === 'sse' && definition.reconnect && definition.maxReconnectAttempts > 0)
      this.#renew(connection, { most: definition.maxReconnectAttempts, intervalMs: definition.reconnectInterval });
    else this.#broken = error;
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
      this.#broken = asAssayError(error, 'INTERRUPTED');
      throw this.#broken;
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
    this.#broken ??= this.#link?.connection.broken;
  }
}

function withTimeLeft(options: McpRequestOptions, dueAtMs: number): McpRequestOptions {
  return { ...options, timeoutMs: Math.max(1, Math.round(dueAtMs - performance.now())) };
}
