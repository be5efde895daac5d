import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../../../domain/errors.ts';
import { HttpClient, type HttpResponse } from '../../../shared/http/http-client.ts';
import { bodyLimitBytes } from '../../targets/call/http-answer.ts';
import type { ConnectorResponse } from '../connector.ts';
import { type Failing, failingAt, failureOf } from './failures.ts';
import type { Headers } from './headers.ts';
import { reading } from './read-document.ts';
import { requireSuccess } from './require-success.ts';
import { SentHeaders } from './sent-headers.ts';
import { excerptOf, keptText } from './shown-text.ts';
import { StreamedAnswer, type StreamForm, type StreamReader } from './streamed-answer.ts';

/** A question as it goes over the wire. */
export interface EndpointRequest {
  readonly url: URL;
  readonly method: string;
  readonly body: string | undefined;
  /** What is asked, where it does not stand in the body. */
  readonly asked?: string | undefined;
  /** Of the persona. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Who reads the answer when it comes in pieces, given the type of its content; undefined when it is read whole. */
  readerFor?(contentType: string): { readonly form: StreamForm; readonly reader: StreamReader } | undefined;
}

/** A good answer. */
export interface EndpointAnswer {
  readonly body: string;
  readonly contentType: string;
  readonly latencyMs: number;
  readonly timeToFirstTokenMs: number | undefined;
  /** True when the reader has had it piece by piece. */
  readonly isStreamed: boolean;
  readonly raw: NonNullable<ConnectorResponse['raw']>;
  /** The beginning of the body, in quotes, for a message. */
  excerpt(): string;
  /** Throws what is wrong with the answer. */
  fail(code: ErrorCode, problem: string, hint: string): never;
}

/** An agent may just be starting, so nobody may listen yet. */
const unsentPausesMs: readonly number[] = [50, 200];

type Environment = Readonly<Record<string, string | undefined>>;

/** An HTTP agent under test: sends, waits, and says what went wrong without telling secrets. */
export class Endpoint implements AsyncDisposable {
  readonly #client: HttpClient;
  readonly #headers: SentHeaders;

  /** Proxies are named in `env`; `secrets` beyond those in the headers, such as those in the URL. */
  constructor(env: Environment, headers: Headers, secrets: readonly string[] = []) {
    this.#client = new HttpClient({ env, unsentPausesMs });
    this.#headers = new SentHeaders(headers, secrets);
  }

  /** Gives an answer with status 2xx; anything else is thrown as an AssayError with a TARGET_ code. */
  async ask(request: EndpointRequest): Promise<EndpointAnswer> {
    const { url, method, body, signal } = request;
    const { headers, redact } = this.#headers.sentBy(request.headers);
    const failing = failingAt(method, url, redact);
    let streamed: StreamedAnswer | undefined;
    const listenerFor = (status: number, received: IncomingHttpHeaders): ((text: string) => void) | undefined => {
      if (status < 200 || status > 299) return undefined;
      const chosen = request.readerFor?.(received['content-type'] ?? '');
      if (!chosen) return undefined;
      const answer = new StreamedAnswer(chosen.form, chosen.reader);
      streamed = answer;
      return (text) => answer.add(text);
    };
    const answer = await this.#client
      .send({ url, method, headers, body, signal, bodyLimitBytes, ...(request.readerFor && { listenerFor }) })
      .catch((error: unknown) => {
        throw failureOf(error, signal, failing);
      });
    requireSuccess(answer, failing);
    const good: EndpointAnswer = {
      body: answer.body,
      contentType: answer.headers['content-type'] ?? '',
      latencyMs: answer.latencyMs,
      get timeToFirstTokenMs() {
        const firstTextAtMs = streamed?.firstTextAtMs;
        return firstTextAtMs === undefined ? undefined : firstTextAtMs - answer.sentAtMs;
      },
      isStreamed: streamed !== undefined,
      raw: rawOf(failing, body ?? request.asked, answer),
      excerpt: () => excerptOf(answer.body, redact),
      fail(code, problem, hint) {
        throw failing.error(code, problem, hint);
      },
    };
    reading(good, () => streamed?.end());
    return good;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
  }
}

function rawOf(
  failing: Failing,
  body: string | undefined,
  answer: HttpResponse,
): NonNullable<ConnectorResponse['raw']> {
  const { method, shownUrl: url, redact } = failing;
  const { status } = answer;
  return {
    request: { method, url, ...(body !== undefined && { body: keptText(body, redact) }) },
    response: { status, body: keptText(answer.body, redact) },
  };
}
