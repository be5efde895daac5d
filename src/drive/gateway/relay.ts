import type { IncomingMessage, ServerResponse } from 'node:http';
import { AssayError } from '../../domain/errors.ts';
import { HttpFailure } from '../../shared/http/exchange.ts';
import type { ReplyOrigin } from './allowance.ts';
import { decodedRequest, errorMessageIn, readableEncodings, readReply } from './captured-reply.ts';
import { gatewayApis } from './gateway-apis.ts';
import type { BegunCall, GatewaySession } from './gateway-session.ts';
import { type PlannedRequest, planRequest, readLater } from './planned-request.ts';
import { isGood, ReplyPassage } from './reply-passage.ts';
import { readBody } from './request-body.ts';
import { RefusedRequest, type Route } from './route.ts';
import type { AgentRequest } from './tape/agent-request.ts';
import type { SessionTape } from './tape/session-tape.ts';
import type { CallTimes, TrialTape } from './tape/trial-tape.ts';
import type { Upstream, UpstreamReply } from './upstream.ts';

/** A request that arrived at an address of a session. */
export interface ArrivedRequest {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: GatewaySession;
  readonly route: Route;
  readonly upstream: Upstream;
  readonly pathname: string;
  readonly search: string;
}

/** Passes one request on to the provider and its reply back, as it comes; reads both beside that. */
export async function relay(arrived: ArrivedRequest): Promise<void> {
  const { incoming, response, session, route } = arrived;
  const leave = session.enter();
  try {
    if (!leave) throw new RefusedRequest(429, 'There are too many requests in this session of the gateway.');
    route.authorize(incoming.headers, arrived.search);
    // A path that is not allowed is refused before its body is read.
    route.urlOf(arrived.pathname, arrived.search);
    await new Relay(arrived, await readBody(incoming)).run();
  } catch (error) {
    if (error instanceof RefusedRequest) {
      session.notice(`The gateway refused a request (HTTP ${error.status}): ${error.message}`);
      refuse(response, error.status, error.message);
    } else response.destroy();
  } finally {
    leave?.();
  }
}

/** An error in a shape that the clients of every provider read. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error';
  const error = { type, code: status, status: 'FAILED_PRECONDITION', message: `Assay gateway: ${message}` };
  const body = JSON.stringify({ type: 'error', error });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  // The rest of an unread body must not be taken for the next request.
  response.writeHead(status, { ...headers, connection: 'close', 'x-should-retry': 'false' }).end(body);
}

interface Ending {
  readonly error?: string | undefined;
  /** By the agent, by the end of the trial, or at a limit: not by the provider. */
  readonly isAbandoned?: boolean;
}

/** One request on its way. */
class Relay {
  readonly #arrived: ArrivedRequest;
  readonly #body: Buffer;
  readonly #stop = new AbortController();
  readonly #call: BegunCall | undefined;
  #planned: PlannedRequest | undefined;
  #reply: UpstreamReply | undefined;
  #passage: ReplyPassage | undefined;
  #wasSent = false;
  #tapedTimes: CallTimes | undefined;

  constructor(arrived: ArrivedRequest, body: Buffer) {
    this.#arrived = arrived;
    this.#body = body;
    const { incoming, pathname, session } = arrived;
    const api = incoming.method === 'POST' ? gatewayApis.find((each) => each.isCall(pathname)) : undefined;
    this.#call = api && session.begin(api);
  }

  async run(): Promise<void> {
    const { response, session } = this.#arrived;
    const stop = (): void => this.#stop.abort();
    response.on('close', stop);
    session.signal.addEventListener('abort', stop, { once: true });
    try {
      if (session.signal.aborted) stop();
      const ending = await this.#forward();
      if (ending !== 'refused') this.#finish(ending);
    } finally {
      session.signal.removeEventListener('abort', stop);
      response.off('close', stop);
    }
  }

  async #forward(): Promise<Ending | 'refused'> {
    const { upstream } = this.#arrived;
    try {
      const taped = this.#trialTape?.find(this.#agentRequest());
      const replay = taped?.send ?? this.#tape?.find(this.#agentRequest());
      const request = await this.#request(taped ? 'trial' : replay ? 'recording' : 'provider');
      this.#tapedTimes = taped?.times;
      this.#wasSent = taped !== undefined || replay === undefined;
      const { signal } = this.#stop;
      const send = (): Promise<UpstreamReply> => {
        if (replay) return replay(signal);
        this.#trialTape?.begin(this.#agentRequest());
        return upstream.forward({ ...request, signal });
      };
      this.#reply = await this.#throughFaults(send);
    } catch (error) {
      if (error instanceof AssayError) return this.#refuse(error);
      if (error instanceof RefusedRequest) {
        if (this.#call) this.#arrived.session.forget(this.#call);
        throw error;
      }
      return this.#withoutReply(error);
    }
    return this.#pass(this.#reply);
  }

  /** Sends a call for a reply, unless a fault of the scenario breaks it first. */
  #throughFaults(send: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const { faults } = this.#arrived.session.options;
    const call = this.#call;
    if (!faults || !call) return send();
    const onBroken = (wasSent: boolean): void => {
      call.isBroken = true;
      this.#wasSent &&= wasSent;
    };
    return faults.forward({ body: this.#body, signal: this.#stop.signal, send, onBroken });
  }

  get #tape(): SessionTape | undefined {
    return this.#arrived.session.options.tape;
  }

  get #trialTape(): TrialTape | undefined {
    return this.#arrived.session.options.trialTape;
  }

  /** As the agent sent it: limits and pinned models change what the provider gets, not what is recorded. */
  #agentRequest(): AgentRequest {
    const { incoming, route, pathname, search } = this.#arrived;
    const body = decodedRequest(this.#body, incoming.headers['content-encoding'] ?? '')?.toString('utf8') ?? '';
    const query = new URLSearchParams(search);
    query.delete('key');
    const path = route.behindBase(pathname) + (query.size > 0 ? `?${query}` : '');
    const { number, api } = this.#call ?? {};
    const call = number === undefined || !api ? undefined : { number, api };
    return { call, method: incoming.method ?? 'GET', pathname, path, body };
  }

  async #request(origin: ReplyOrigin) {
    const { incoming, route, session, search, pathname } = this.#arrived;
    const { method = 'GET', headers } = incoming;
    const encoding = headers['content-encoding'] ?? '';
    const call = this.#call;
    const signal = this.#stop.signal;
    const planned =
      call && (await planRequest({ session, call, pathname, body: this.#body, encoding, signal, origin }));
    this.#planned = planned;
    const passed = route.headersFor(headers);
    const accepted = readableOnly(passed['accept-encoding']);
    // A stream that is counted while it passes has to be readable.
    if (planned?.assertCovers) passed['accept-encoding'] = 'identity';
    else if (accepted !== undefined) passed['accept-encoding'] = accepted;
    if (planned?.isChanged) delete passed['content-encoding'];
    const url = route.urlOf(planned?.pathname ?? pathname, search);
    return { url, method, headers: passed, body: planned?.body ?? this.#body };
  }

  async #pass(reply: UpstreamReply): Promise<Ending> {
    const { response } = this.#arrived;
    const beforeEnd = this.#call && this.#trialTape && ((problem?: Error) => this.#noteOnTrialTape(problem));
    const limits = { call: this.#call, assertCovers: this.#planned?.assertCovers, beforeEnd };
    this.#passage = new ReplyPassage(response, reply, limits);
    const problem = await this.#passage.run();
    if (!problem) return {};
    if (problem instanceof AssayError) return this.#cut(problem);
    const isAbandoned = this.#stop.signal.aborted;
    response.destroy();
    return { isAbandoned, error: isAbandoned ? this.#abandoned : `the reply broke off: ${problem.message}` };
  }

  /** Ends a reply that passes a limit with an error that its client understands. */
  #cut(reason: AssayError): Ending {
    const { response, session } = this.#arrived;
    if (!response.headersSent) refuse(response, 402, reason.message);
    else response.end(this.#call?.api.streamError(`Assay gateway: ${reason.message}`));
    session.options.onLimit(reason);
    return { isAbandoned: true, error: reason.message };
  }

  #refuse(error: AssayError): 'refused' {
    const { response, session } = this.#arrived;
    if (this.#call) session.forget(this.#call);
    // Clients do not try again after this status.
    refuse(response, 402, error.message);
    session.options.onLimit(error);
    return 'refused';
  }

  /** The provider was not reached, or closed the connection: so does the gateway, without answering itself. */
  #withoutReply(error: unknown): Ending {
    const { response } = this.#arrived;
    const isAbandoned = this.#stop.signal.aborted;
    this.#wasSent &&= !(error instanceof HttpFailure) || error.wasSent;
    const reason = error instanceof Error ? error.message : String(error);
    this.#noteOnTrialTape(new Error(reason));
    response.destroy();
    return { isAbandoned, error: isAbandoned ? this.#abandoned : `no reply from the provider: ${reason}` };
  }

  get #abandoned(): string {
    return this.#arrived.session.signal.aborted
      ? 'the trial ended before the reply did'
      : 'the agent closed the connection before the reply was complete';
  }

  #finish(ending: Ending): void {
    const { session, incoming, pathname } = this.#arrived;
    const status = this.#reply?.status ?? null;
    const call = this.#call;
    // A broken call shows nothing of the provider.
    if (this.#tape && !call?.isBroken) session.later(() => this.#recordOnTape(ending, status));
    if (!call) {
      session.exchange({ method: incoming.method ?? 'GET', path: pathname, status });
      return;
    }
    session.later(() => this.#record(call, ending, status), call);
  }

  /** A reply that passes a limit is none that the agent could get again. */
  #noteOnTrialTape(problem: Error | undefined): void {
    const call = this.#call;
    if (!call || !this.#trialTape || problem instanceof AssayError) return;
    const passage = this.#passage;
    const passed = {
      status: this.#reply?.status ?? null,
      headers: this.#reply?.headers ?? {},
      text: passage?.text ?? '',
      error: problem?.message,
      isAbandoned: this.#stop.signal.aborted,
    };
    const times = { durationMs: performance.now() - call.beganMs, timeToFirstTokenMs: passage?.firstTokenMs };
    this.#trialTape.note(this.#agentRequest(), passage && !passage.isWhole ? 'too large' : passed, times);
  }

  #recordOnTape({ error, isAbandoned = false }: Ending, status: number | null): void {
    const headers = this.#reply?.headers ?? {};
    const text = !this.#passage ? '' : this.#passage.isWhole ? this.#passage.text : undefined;
    const reply = text === undefined ? 'too large' : { status, headers, text, error, isAbandoned };
    this.#tape?.note(this.#agentRequest(), reply);
  }

  #record(call: BegunCall, { error, isAbandoned = false }: Ending, status: number | null): void {
    const { session, incoming, pathname } = this.#arrived;
    const encoding = incoming.headers['content-encoding'] ?? '';
    const read = this.#planned?.read ?? readLater(session, call.api, this.#body, encoding, pathname);
    const headers = this.#reply?.headers ?? {};
    const text = this.#passage?.text;
    const isAnswered = isGood(status);
    const reply = isAnswered ? readReply(call.api, headers['content-type'] ?? '', text ?? '') : undefined;
    const refused = status !== null && !isAnswered ? errorMessageIn(text ?? '', status) : undefined;
    const cut = reply?.isComplete ? undefined : 'the reply has no end that can be read';
    const usage = error === undefined || reply?.isComplete ? reply?.usage : undefined;
    const isPriced = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
    const mayBeBilled = this.#wasSent && !isPriced && (status === null || isAnswered);
    this.#planned?.settle(usage ?? null, mayBeBilled);
    session.finish({
      call,
      request: read?.request,
      thread: read?.thread,
      sentAs: this.#planned?.sentAs,
      status,
      reply: reply && { ...reply, usage },
      error: error ?? refused ?? reply?.error ?? (isAnswered ? cut : undefined),
      isAbandoned,
      mayBeBilled,
      timeToFirstTokenMs: isAnswered ? this.#passage?.firstTokenMs : undefined,
      isReplayed: this.#reply?.isReplayed ?? false,
      tapedTimes: this.#tapedTimes,
      requestText: decodedRequest(this.#planned?.body ?? this.#body, encoding)?.toString('utf8') ?? '',
      replyText: text,
      isStream: this.#passage?.isStream ?? false,
    });
  }
}

/** The encodings that the client accepts and that can be read here; undefined where it names none. */
function readableOnly(accepted: string | undefined): string | undefined {
  if (accepted === undefined) return undefined;
  const named = accepted.split(',').map((each) => each.trim());
  const kept = named.filter((each) => readableEncodings.has((each.split(';')[0] ?? '').trim().toLowerCase()));
  return kept.length === 0 ? 'identity' : kept.join(', ');
}
