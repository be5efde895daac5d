import type { IncomingHttpHeaders } from 'node:http';
import { HttpClient, type HttpRequest, type HttpResponse } from '../../../shared/http/http-client.ts';
import type { WaitClock } from '../../pacing/clock.ts';
import type { Pace } from '../../pacing/pace.ts';
import { bodyLimitBytes } from '../../targets/call/http-target.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { ConnectorResponse } from '../connector.ts';
import { type EndpointAnswer, excerptOf, readSafely, traceText } from './answer.ts';
import { assertSuccess, type EndpointErrors, endpointErrors, errorOfExchange } from './endpoint-errors.ts';
import { StreamedAnswer, type StreamForm, type StreamReader } from './streamed-answer.ts';
import { type Headers, RequestHeaders } from './url-and-headers.ts';

/** One HTTP request to an agent. */
export interface EndpointRequest {
  readonly url: URL;
  readonly method: string;
  readonly body: string | undefined;
  /** The body for the trace, where that leaves something out. */
  readonly tracedBody?: string | undefined;
  /** The question for the trace, where it is not in the body. */
  readonly query?: string | undefined;
  /** Of the persona. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Stands still while the request waits for its turn. */
  readonly clock?: WaitClock | undefined;
  /** Reader of a streamed answer, given the type of its content; undefined when it is read whole. */
  readerFor?(contentType: string): { readonly form: StreamForm; readonly reader: StreamReader } | undefined;
}

/** Retries of a request that never left: the agent may still be starting and not listen yet. */
const unsentPausesMs: readonly number[] = [50, 200];

/** An HTTP agent under test; its errors name the endpoint and hold no secrets. */
export class Endpoint implements AsyncDisposable {
  readonly #client: HttpClient;
  readonly #headers: RequestHeaders;
  readonly #paces: TargetContext['paces'];

  /** Proxies are named in `env`; `secrets` are those beyond the headers, such as one in the URL. */
  constructor({ env, paces }: Pick<TargetContext, 'env' | 'paces'>, headers: Headers, secrets: readonly string[] = []) {
    this.#client = new HttpClient({ env, unsentPausesMs });
    this.#headers = new RequestHeaders(headers, secrets);
    this.#paces = paces;
  }

  /** Resolves to an answer with status 2xx; anything else is thrown as an AssayError with a TARGET_ code. */
  async send(request: EndpointRequest): Promise<EndpointAnswer> {
    const { url, method, body, signal } = request;
    const { headers, redact } = this.#headers.forPersona(request.headers);
    const errors = endpointErrors(method, url, redact);
    const pace = (await this.#paces?.())?.of(url.origin, credentialsIn(headers));
    let streamed: StreamedAnswer | undefined;
    const listenerFor = (status: number, received: IncomingHttpHeaders): ((text: string) => void) | undefined => {
      if (status < 200 || status > 299) return undefined;
      const chosen = request.readerFor?.(received['content-type'] ?? '');
      if (!chosen) return undefined;
      const answer = new StreamedAnswer(chosen.form, chosen.reader);
      streamed = answer;
      return (text) => answer.add(text);
    };
    const wired = { url, method, headers, body, signal, bodyLimitBytes, ...(request.readerFor && { listenerFor }) };
    const response = await this.#sendInTurn(wired, pace, request.clock).catch((error: unknown) => {
      throw errorOfExchange(error, signal, errors);
    });
    assertSuccess(response, errors, pace && ((ms) => pace.countWait(ms)));
    const answer: EndpointAnswer = {
      body: response.body,
      contentType: response.headers['content-type'] ?? '',
      latencyMs: response.latencyMs,
      get timeToFirstTokenMs() {
        const firstTextAtMs = streamed?.firstTextAtMs;
        return firstTextAtMs === undefined ? undefined : firstTextAtMs - response.sentAtMs;
      },
      isStreamed: streamed !== undefined,
      raw: rawOf(errors, request.tracedBody ?? body ?? request.query, response),
      excerpt: () => excerptOf(response.body, redact),
      fail(code, problem, hint) {
        throw errors.create(code, problem, hint);
      },
    };
    readSafely(answer, () => streamed?.end());
    return answer;
  }

  /** The time until the server takes the request is not part of the latency of its answer. */
  async #sendInTurn(request: HttpRequest, pace: Pace | undefined, clock: WaitClock | undefined): Promise<HttpResponse> {
    if (!pace) return this.#client.send(request);
    const leave = await pace.enter(request.signal, clock);
    try {
      const sentAtMs = Date.now();
      const response = await this.#client.send(request);
      pace.observe({ ...response, sentAtMs });
      return response;
    } finally {
      leave();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
  }
}

function rawOf(
  { method, url, redact }: EndpointErrors,
  body: string | undefined,
  response: HttpResponse,
): NonNullable<ConnectorResponse['raw']> {
  return {
    request: { method, url, ...(body !== undefined && { body: traceText(body, redact) }) },
    response: { status: response.status, body: traceText(response.body, redact) },
  };
}

const credentialHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

/** Whose limits a request counts against. */
function credentialsIn(headers: Headers): string {
  return credentialHeaders.flatMap((name) => headers[name] ?? []).join(' ');
}
