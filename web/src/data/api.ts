import { type ServerAnswer, send } from '#server';
import type { ApiError } from '../../../src/entry/server/api/paging.ts';
import { basePath } from './base-path.ts';

/** A refusal of the server, or that it cannot be reached (status 0). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly problems: NonNullable<ApiError['problems']>;
  /** The whole answer, for refusals that carry more, such as the present state of a file in conflict. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    const answer = isApiError(body) ? body : null;
    super(answer?.error ?? `The server answered with status ${status}`);
    this.status = status;
    this.code = answer?.code ?? 'UNKNOWN';
    this.hint = answer?.hint ?? null;
    this.problems = answer?.problems ?? [];
    this.body = body;
  }

  /** The message for people. */
  get error(): string {
    return this.message;
  }

  /** No answer: the server has ended, or the machine cannot be reached. */
  get isAway(): boolean {
    return this.status === 0;
  }

  /** The server does not know this browser, as after it was started again. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** The server did not answer. */
export function serverAway(): ApiFailure {
  return new ApiFailure(0, {
    error: 'The server does not answer',
    code: 'SERVER_AWAY',
    hint: 'Start it again with: assay serve',
  });
}

function isApiError(body: unknown): body is ApiError {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  );
}

/** Query parameters; undefined and empty ones are left out. */
export type ApiQuery = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface RequestOptions {
  readonly query?: ApiQuery;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The server's API. Whatever is not an answer is thrown as an `ApiFailure`. */
export const api = {
  get<T>(path: string, query: ApiQuery = {}, signal?: AbortSignal): Promise<T> {
    return request<T>('GET', path, { query, signal });
  },
  post<T>(path: string, body?: unknown): Promise<T> {
    return request<T>('POST', path, { body: body ?? {} });
  },
  put<T>(path: string, body: unknown): Promise<T> {
    return request<T>('PUT', path, { body });
  },
  delete<T>(path: string, body?: unknown): Promise<T> {
    return request<T>('DELETE', path, { body: body ?? {} });
  },
};

/** The address of something in the API, such as of a report to download. */
export function apiUrl(path: string, query: ApiQuery = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') parameters.set(key, String(value));
  const text = parameters.toString();
  return `${basePath}/api${path}${text === '' ? '' : `?${text}`}`;
}

async function request<T>(method: string, path: string, { query, body, signal }: RequestOptions): Promise<T> {
  const answer = await answerTo(method, apiUrl(path, query), body, signal);
  if (answer.status < 200 || answer.status > 299) throw new ApiFailure(answer.status, answer.body);
  return answer.body as T;
}

async function answerTo(
  method: string,
  url: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<ServerAnswer> {
  try {
    return await send(method, url, body, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw serverAway();
  }
}
