import type { HttpClient } from '../../../shared/http/http-client.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { type Failure, sendRequest } from '../send-request.ts';

/** How a service is reached. */
export interface ServiceAccess {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Values that open it. */
  readonly secrets: readonly string[];
}

interface ApiTools {
  readonly client: HttpClient;
  readonly signal: AbortSignal;
}

/** A request that the service did not take. */
export class NotTaken extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.failure);
    this.failure = failure;
  }
}

const timeoutMs = 30_000;

/** The HTTP API of a service: JSON out, JSON in. */
export class ServiceApi {
  readonly #access: ServiceAccess;
  readonly #tools: ApiTools;

  constructor(access: ServiceAccess, tools: ApiTools) {
    this.#access = access;
    this.#tools = tools;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
    return this.#send('GET', path, { query, isRepeatable: true });
  }

  /** A request that changes nothing when it is sent again. */
  put(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
    return this.#send('POST', path, { body, headers, isRepeatable: true });
  }

  /** A request that makes one more thing each time. */
  create(path: string, body: object, query?: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    return this.#send('POST', path, { body, query, isRepeatable: false });
  }

  /** The whole list behind a path, page after page. */
  async list(path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
    const all: unknown[] = [];
    const cursors = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const { data, next_cursor: next } = await this.get(path, { ...query, ...(cursor !== undefined && { cursor }) });
      if (Array.isArray(data)) all.push(...data);
      if (typeof next !== 'string' || next === '' || cursors.has(next)) return all;
      cursors.add(next);
      cursor = next;
    }
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    {
      body,
      query = {},
      headers = {},
      isRepeatable,
    }: {
      readonly body?: object;
      readonly query?: Readonly<Record<string, string>> | undefined;
      readonly headers?: Readonly<Record<string, string>>;
      readonly isRepeatable: boolean;
    },
  ): Promise<Record<string, unknown>> {
    const url = new URL(this.#access.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const sent = await sendRequest(
      {
        url,
        method,
        headers: {
          ...this.#access.headers,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: Buffer.from(JSON.stringify(body)) }),
        timeoutMs,
        isRepeatable,
      },
      this.#tools,
    );
    if (sent.kind !== 'answered') throw new NotTaken({ ...sent, failure: `${path}: ${sent.failure}` });
    const answer = parseJson(sent.answer.body.toString('utf8'));
    return isRecord(answer) ? answer : {};
  }
}

/** A text of an answer that the service's API promises. */
export function textIn(answer: unknown, name: string, path: string): string {
  const text = isRecord(answer) ? answer[name] : undefined;
  if (typeof text === 'string') return text;
  throw new NotTaken({ kind: 'failed', failure: `${path}: the answer has no "${name}"` });
}
