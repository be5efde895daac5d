import { AssayError } from '../../../domain/errors.ts';
import type { ToolError } from '../../../domain/trace.ts';
import type { HttpResponse } from '../../../shared/http/http-client.ts';
import { isRecord } from '../../../shared/json.ts';

/** Longest answer that is read. */
export const bodyLimitBytes = 10_000_000;

interface HttpAnswer {
  readonly result?: unknown;
  readonly error?: ToolError;
}

/** Any status but 2xx is the endpoint's own error answer; a 2xx body must be JSON, except where there is to be none. */
export function answerOf({ status, headers, body }: HttpResponse): HttpAnswer {
  const json = parseJson(body);
  if (status >= 300 && status <= 399) return { error: redirectError(status, headers.location) };
  if (status < 200 || status > 299) return { error: { message: messageOf(json, status), status, body: json ?? body } };
  if (status === 204) return {};
  if (json === undefined) {
    const what = body === '' ? 'an empty body' : `a body that is not JSON: ${JSON.stringify(body.slice(0, 120))}`;
    throw new AssayError('TARGET_OUTPUT_NOT_JSON', `HTTP ${status} with ${what}`);
  }
  return { result: json };
}

function redirectError(status: number, location: string | undefined): ToolError {
  const to = location === undefined ? '' : ` to ${location}`;
  return { message: `HTTP ${status}${to}: redirects are not followed`, status, ...(location ? { location } : {}) };
}

function messageOf(json: unknown, status: number): string {
  const error = isRecord(json) ? (json.error ?? json) : undefined;
  if (typeof error === 'string') return error;
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  return `HTTP ${status}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
