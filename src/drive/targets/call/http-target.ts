import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import { HttpFailure } from '../../../shared/http/exchange.ts';
import type { HttpResponse } from '../../../shared/http/http-client.ts';
import { isRecord, parseTracedJson, whyNotJson } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { failureText } from '../../tool-control/faults/text-faults.ts';
import { defineTarget, type Target, type TargetContext } from '../target.ts';
import { expandSetting, expandSettings } from './expand-settings.ts';
import { openCalled } from './open-called.ts';

/** Longest answer that is read. */
export const bodyLimitBytes = 10_000_000;

interface HttpAnswer {
  readonly result?: unknown;
  readonly status?: number;
  readonly error?: ToolError;
}

/** Of a body without JSON, its first line says what went wrong, such as the page of a proxy. */
const longestMessageChars = 120;

/** Any status but 2xx is the endpoint's own error answer; a 2xx body must be JSON, except where there is to be none. */
function answerOf({ status, headers, body }: HttpResponse): HttpAnswer {
  const json = parseTracedJson(body);
  if (status >= 300 && status <= 399) return { error: redirectError(status, headers.location) };
  if (status < 200 || status > 299)
    return { error: { message: messageOf(json, status, body), status, body: json ?? body } };
  if (status === 204) return { status };
  if (json === undefined) {
    const what =
      body === '' ? 'an empty body' : `a body that is ${whyNotJson(body)}: ${JSON.stringify(body.slice(0, 120))}`;
    throw new AssayError('TARGET_OUTPUT_NOT_JSON', `HTTP ${status} with ${what}`);
  }
  return { result: json, status };
}

function redirectError(status: number, location: string | undefined): ToolError {
  const to = location === undefined ? '' : ` to ${location}`;
  return { message: `HTTP ${status}${to}: redirects are not followed`, status, ...(location ? { location } : {}) };
}

function messageOf(json: unknown, status: number, body: string): string {
  const error = isRecord(json) ? (json.error ?? json) : undefined;
  if (typeof error === 'string') return error;
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  const [line = ''] = json === undefined ? body.trim().split('\n') : [];
  return line === '' ? `HTTP ${status}` : `HTTP ${status}: ${line.slice(0, longestMessageChars)}`;
}

const configSchema = lazySchema(() =>
  z.strictObject({
    url: z.string().min(1).describe('http or https; ${VAR} is expanded'),
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      .default('POST')
      .describe('GET sends the fields of the input in the query, the others send the input as a JSON body'),
    headers: z.record(z.string(), z.string()).default({}).describe('request headers; ${VAR} is expanded'),
  }),
);

/** An HTTP endpoint that takes the input as a JSON body and answers with JSON. */
export const httpTarget = defineTarget({
  type: 'http',
  summary: 'an HTTP endpoint: JSON body in, JSON body out',
  callKey: 'url',
  provides: ['call-answer'],
  configSchema,
  check(config) {
    const isUrl = config.url.includes('${') || (/^https?:\/\//.test(config.url) && URL.canParse(config.url));
    return isUrl ? [] : [{ path: ['url'], message: `"${config.url}" is not an http or https URL` }];
  },
  // As written in the file, because what `${VAR}` stands for may be secret.
  open: (config, context) =>
    openCalled({ name: `${config.method} ${config.url}`, failure }, context, () => openEndpoint(config, context)),
});

function failure(fault: Fault): ToolError {
  const status = fault.fault === 'rate-limit' ? 429 : (fault.status ?? 500);
  const { retryAfterSecs } = fault;
  return { message: failureText(fault), status, ...(retryAfterSecs !== undefined && { retryAfterSecs }) };
}

async function openEndpoint(
  config: z.output<typeof configSchema>,
  { env }: Pick<TargetContext, 'env'>,
): Promise<Target> {
  // Loaded here: the HTTP and TLS modules cost a start that most scenarios do not need.
  const { HttpClient } = await import('../../../shared/http/http-client.ts');
  const { canSendHeader } = await import('../../../shared/http/exchange.ts');
  const url = readUrl(config.url, env);
  const headers = readHeaders(config.headers, env, canSendHeader);
  const client = new HttpClient({ env });
  const { method } = config;
  return {
    async attempt(trial, { emit }, stop) {
      const callId = trial.trialId;
      const { input } = trial.case;
      // As written in the file, because what `${VAR}` stands for may be secret.
      emit({ type: 'tool-call', callId, tool: `${method} ${config.url}`, input });
      const began = performance.now();
      const request =
        method === 'GET'
          ? { url: withQuery(url, input), body: undefined }
          : { url, body: JSON.stringify(input) ?? 'null' };
      const response = await client
        .send({ ...request, method, headers, bodyLimitBytes, signal: stop.signal })
        .catch((error: unknown) => {
          throw noAnswer(url, error);
        });
      const durationMs = performance.now() - began;
      emit({ type: 'tool-result', callId, durationMs, ...answerOf(response) });
    },
    [Symbol.asyncDispose]: async () => client[Symbol.dispose](),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function readUrl(text: string, env: Environment): URL {
  const expanded = expandSetting(`URL ${text}`, text, env);
  if (/^https?:\/\//.test(expanded) && URL.canParse(expanded)) return new URL(expanded);
  throw new AssayError('TARGET_NOT_LOADED', `"${text}" is not an http or https URL.`);
}

function readHeaders(
  written: Readonly<Record<string, string>>,
  env: Environment,
  canSend: (name: string, value: string) => boolean,
): Record<string, string> {
  const headers = expandSettings('header', written, env);
  const odd = Object.entries(headers).find(([name, value]) => !canSend(name, value));
  if (odd) throw new AssayError('TARGET_NOT_LOADED', `The header "${odd[0]}" cannot be sent.`);
  return { 'content-type': 'application/json', accept: 'application/json', ...headers };
}

/** Fields that are not text go into the query as JSON. */
function withQuery(url: URL, input: unknown): URL {
  const complete = new URL(url);
  for (const [name, value] of Object.entries(isRecord(input) ? input : {})) {
    complete.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return complete;
}

/** A request that may have been carried out is not repeated, and the message says so. */
function noAnswer({ host }: URL, error: unknown): AssayError {
  if (!(error instanceof HttpFailure)) {
    return new AssayError('TARGET_UNREACHABLE', `No answer from ${host}: ${String(error)}.`, { cause: error });
  }
  const { kind, message, wasSent, cause } = error;
  if (kind === 'too-large') return new AssayError('TARGET_OUTPUT_TOO_LARGE', `${host} answered with ${message}.`);
  if (kind === 'unreadable') return new AssayError('TARGET_OUTPUT_NOT_JSON', `${host} answered with ${message}.`);
  const reason = kind === 'broken-off' ? `the answer broke off: ${message}` : message;
  const sent = wasSent ? ' The request may have been processed, so it was not sent again.' : '';
  return new AssayError('TARGET_UNREACHABLE', `No answer from ${host}: ${reason}.${sent}`, { cause });
}
