import { ApiFailure, serverAway } from './api-failure.ts';

/** What is asked for beside the path; what is undefined or empty is left out. */
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
  return `/api${path}${text === '' ? '' : `?${text}`}`;
}

async function request<T>(method: string, path: string, { query, body, signal }: RequestOptions): Promise<T> {
  const response = await send(method, apiUrl(path, query), body, signal);
  const answer = await readAnswer(response);
  if (!response.ok) throw new ApiFailure(response.status, answer);
  return answer as T;
}

async function send(method: string, url: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw serverAway();
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
