import * as z from 'zod';
import { AssayError } from '../domain/errors.ts';
import type { ToolError } from '../domain/trace.ts';
import type { HttpResponse } from '../shared/http.ts';
import { isRecord } from '../shared/json.ts';
import { expandVariables, unsetVariables } from '../shared/variables.ts';
import { defineTarget } from './target.ts';

const bodyLimitBytes = 10_000_000;

const configSchema = z.strictObject({
  url: z.string().min(1).describe('http or https; ${VAR} is expanded'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  headers: z.record(z.string(), z.string()).default({}).describe('request headers; ${VAR} is expanded'),
});

/** An HTTP endpoint that takes the input as a JSON body and answers with JSON. */
export const httpTarget = defineTarget({
  type: 'http',
  summary: 'an HTTP endpoint: JSON body in, JSON body out',
  callKey: 'url',
  provides: ['call-answer'],
  configSchema,
  check(config) {
    const isUrl = config.url.includes('${') || /^https?:\/\//.test(config.url);
    return isUrl ? [] : [{ path: ['url'], message: `"${config.url}" is not an http or https URL` }];
  },
  async open(config, { env }) {
    // Loaded here: the HTTP and TLS modules cost a start that most scenarios do not need.
    const { HttpClient } = await import('../shared/http.ts');
    const client = new HttpClient();
    const url = readUrl(config.url, env);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...expandVariables(config.headers, env),
    };
    return {
      async attempt(trial, emit, signal) {
        const callId = trial.trialId;
        emit({ type: 'tool-call', callId, tool: `${config.method} ${config.url}`, input: trial.case.input });
        const began = performance.now();
        const body = config.method === 'GET' ? undefined : (JSON.stringify(trial.case.input) ?? 'null');
        const response = await client
          .send({ url, method: config.method, headers, body, bodyLimitBytes, signal })
          .catch((error: unknown) => {
            throw unreachable(url, error);
          });
        const durationMs = performance.now() - began;
        const answer = answerOf(response);
        if (answer.error) emit({ type: 'tool-result', callId, durationMs, error: answer.error });
        else emit({ type: 'tool-result', callId, durationMs, result: answer.result });
      },
      [Symbol.asyncDispose]: async () => client[Symbol.dispose](),
    };
  },
});

function readUrl(text: string, env: Readonly<Record<string, string | undefined>>): URL {
  const unset = unsetVariables(text, env);
  if (unset.length > 0)
    throw new AssayError('TARGET_NOT_LOADED', `The URL ${text} needs ${unset.join(', ')}, which is not set.`);
  try {
    return new URL(expandVariables(text, env));
  } catch (error) {
    throw new AssayError('TARGET_NOT_LOADED', `"${text}" is not a URL.`, { cause: error });
  }
}

function unreachable(url: URL, error: unknown): AssayError {
  const reason = error instanceof Error ? (error as NodeJS.ErrnoException).code || error.message : String(error);
  return new AssayError('TARGET_UNREACHABLE', `No answer from ${url.host}: ${reason}.`, { cause: error });
}

/** Any status but 2xx is the endpoint's own error answer; a 2xx body must be JSON. */
function answerOf(response: HttpResponse): { readonly result?: unknown; readonly error?: ToolError } {
  if (response.truncated) {
    throw new AssayError('TARGET_OUTPUT_TOO_LARGE', `The answer is longer than ${bodyLimitBytes / 1e6} MB.`);
  }
  const { status, body } = response;
  const json = parseJson(body);
  if (status < 200 || status > 299) return { error: { message: messageOf(json, status), status, body: json ?? body } };
  if (json === undefined) {
    throw new AssayError(
      'TARGET_OUTPUT_NOT_JSON',
      `HTTP ${status} with a body that is not JSON: ${JSON.stringify(body.slice(0, 120))}`,
    );
  }
  return { result: json };
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
