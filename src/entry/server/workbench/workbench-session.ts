import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { isHttpServer } from '../../../drive/mcp/server-definition.ts';
import type { McpAnswer, McpSession, ServerRequestHandler } from '../../../drive/mcp/session.ts';
import { RpcError } from '../../../shared/json-rpc.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import type {
  Activity,
  AppDetail,
  HandAnswer,
  HandCall,
  HandRequest,
  WorkbenchSessionDetail,
} from '../api/workbench.ts';
import { SessionActivity } from './activity.ts';
import { type AppPage, appPageOf, whyNotFromApp } from './app-page.ts';
import { listOffers, noOffers, type Offers } from './offers.ts';
import type { SessionLogin } from './session-login.ts';
import type { SessionSettings } from './session-settings.ts';
import { type AnsweredRequest, testPartOf } from './test-of-call.ts';

/** People think before they answer; a call that hangs can be cancelled. */
const callTimeoutMs = 3_600_000;
const listTimeoutMs = 30_000;
const mostApps = 10;

/** Requests of a server that a user can answer, and the capabilities of a client that can. */
const answeredMethods = ['sampling/createMessage', 'elicitation/create'];
const capabilities = {
  sampling: { tools: {} },
  elicitation: { form: {}, url: {} },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

const listChanges = ['tools', 'prompts', 'resources'].map((kind) => `notifications/${kind}/list_changed`);

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** One session with one server that people use by hand. What it shows has no secrets in it. */
export class WorkbenchSession implements AsyncDisposable {
  readonly settings: SessionSettings;
  readonly activity = new SessionActivity();
  readonly openedAt = Date.now();
  readonly #ending = new AbortController();
  readonly #cancel = new Map<string, AbortController>();
  readonly #waiting = new Map<string, Waiting>();
  /** Requests of the server that were answered while a call was open, by the id of the call. */
  readonly #answered = new Map<string, AnsweredRequest[]>();
  /** Calls that are shown without a secret that they have. */
  readonly #redacted = new Set<string>();
  readonly #apps = new Map<string, AppPage>();
  #opening: Promise<void>;
  #login: SessionLogin | undefined;
  #isAuthorized = false;
  #session: McpSession | undefined;
  #problem: AssayError | undefined;
  #offers: Offers = noOffers;
  #lastId = 0;
  lastUsedAt: number;

  constructor(settings: SessionSettings) {
    this.settings = settings;
    this.lastUsedAt = settings.now();
    this.#opening = this.#tryToOpen();
  }

  #tryToOpen(): Promise<void> {
    this.#problem = undefined;
    return this.#open().catch((error: unknown) => {
      this.#problem = asAssayError(error);
      this.activity.detailChanged();
    });
  }

  get status(): WorkbenchSessionDetail['status'] {
    if (this.#ending.signal.aborted) return 'closed';
    if (this.#problem || this.#session?.broken) return 'broken';
    return this.#session ? 'open' : 'connecting';
  }

  /** As the server sent them. */
  get listedTools(): readonly Readonly<Record<string, unknown>>[] {
    return this.#offers.tools.items;
  }

  /** As the pages show it. */
  detail(): WorkbenchSessionDetail {
    const { id, label, file = null, definition, redact } = this.settings;
    const problem = this.#problem ?? (this.#session?.broken && asAssayError(this.#session.broken));
    const detail = {
      id,
      label,
      file,
      transport: definition.transport,
      openedAt: this.openedAt,
      status: this.status,
      problem: problem ? { message: problem.message, code: problem.code, hint: problem.hint } : null,
      login: this.#loginDetail(),
      facts: this.#facts(),
      ...this.#offers,
      notices: [...(this.#session?.notices() ?? [])],
      stderr: this.#session?.stderr() ?? null,
    };
    return redactDeep(detail, redact);
  }

  async changes(after: number, waitMs: number, signal: AbortSignal): Promise<Activity> {
    this.lastUsedAt = this.settings.now();
    await this.activity.wait(after, waitMs, AbortSignal.any([signal, this.#ending.signal]));
    return { status: this.status, ...this.activity.since(after) };
  }

  /** Sends a request; its answer comes with the changes of the session too. */
  send({ method, params = {}, by = 'user' }: HandRequest): {
    readonly call: HandCall;
    readonly ended: Promise<HandCall>;
  } {
    const session = this.#working();
    const refusal = by === 'app' ? whyNotFromApp({ method, params }, this.#offers.tools.items) : undefined;
    if (refusal !== undefined) throw new AssayError('USAGE', refusal);
    const id = `call-${++this.#lastId}`;
    const cancel = new AbortController();
    this.#cancel.set(id, cancel);
    this.activity.putCall({ ...unanswered, id, by, method, params: this.#redactOf(id, params), startedAt: Date.now() });
    const signal = AbortSignal.any([cancel.signal, this.#ending.signal]);
    const options = { timeoutMs: callTimeoutMs, signal };
    const ended = session
      .request(method, params, options)
      .then((answer) => this.#answeredCall(id, answer))
      .catch((error: unknown) => this.#failedCall(id, asAssayError(error), cancel.signal.aborted))
      .then(() => {
        this.#cancel.delete(id);
        return this.#call(id);
      });
    return { call: this.#call(id), ended };
  }

  /** Reads a UI resource, which is among the frames but not among the calls. */
  async openApp(uri: string, signal: AbortSignal): Promise<AppDetail> {
    const answer = await this.#working().request('resources/read', { uri }, { timeoutMs: listTimeoutMs, signal });
    const page = appPageOf(
      uri,
      answer,
      this.#offers.resources.items.find((resource) => resource.uri === uri),
    );
    const id = `app-${++this.#lastId}`;
    this.#apps.set(id, page);
    const [oldest] = this.#apps.keys();
    if (this.#apps.size > mostApps && oldest !== undefined) this.#apps.delete(oldest);
    const { html: _html, ...detail } = page;
    return { id, ...detail };
  }

  app(id: string): AppPage {
    const page = this.#apps.get(id);
    if (!page) throw new AssayError('NOT_FOUND', `There is no app "${id}" in this session.`);
    return page;
  }

  cancel(callId: string): void {
    this.#call(callId);
    this.#cancel.get(callId)?.abort();
  }

  /** The answer of a user to a request of the server. */
  answer(requestId: string, answer: HandAnswer): void {
    const waiting = this.#waiting.get(requestId);
    if (!waiting) throw new AssayError('NOT_FOUND', `No request "${requestId}" of the server waits for an answer.`);
    this.#waiting.delete(requestId);
    if ('result' in answer) waiting.resolve(answer.result);
    else waiting.reject(new RpcError(answer.error.code, answer.error.message));
  }

  /** A call and the requests of the server during it, to become a test. */
  finishedCall(callId: string): { readonly call: HandCall; readonly answered: readonly AnsweredRequest[] } {
    const call = this.#call(callId);
    if (call.testPart === null) throw new AssayError('USAGE', `This call cannot become a test. ${call.whyNoTest}`);
    if (this.#redacted.has(callId))
      throw new AssayError('USAGE', 'This call has a secret in it, which is not written to a file.', {
        hint: 'Write the test in the editor, with ${NAME} for the secret.',
      });
    return { call, answered: this.#answered.get(callId) ?? [] };
  }

  /** Begins a login, whose page the user opens; when it succeeds, the session is opened. */
  async logIn(): Promise<void> {
    if (this.#loginDetail().state === 'waiting') return this.#login?.begun;
    const { SessionLogin: Login } = await import('./session-login.ts');
    const login = new Login(this.settings, this.#ending.signal, () => this.activity.detailChanged());
    this.#login = login;
    void login.ended.then((isLoggedIn) => {
      if (!isLoggedIn || this.status !== 'broken') return;
      this.#opening = this.#tryToOpen();
      this.activity.detailChanged();
    });
    await login.begun;
  }

  /** Takes the address that the browser ended at from a user whose browser runs elsewhere. */
  pasteLogin(address: string): void {
    if (this.#loginDetail().state !== 'waiting') throw new AssayError('USAGE', 'No login waits for an answer.');
    this.#login?.paste(address);
  }

  /** Lists again what the server offers. */
  async refresh(): Promise<void> {
    const session = this.#working();
    const options = { timeoutMs: listTimeoutMs, signal: this.#ending.signal };
    this.#offers = await listOffers(session, options);
    this.activity.detailChanged();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.activity.detailChanged();
    await this.#opening;
    await this.#session?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    const { definition, directory, env, timeoutMs, clientVersion, redact, authorizations } = this.settings;
    const { openSession } = await import('../../../drive/mcp/open-session.ts');
    const session = await openSession(definition, {
      directory,
      env,
      timeoutMs,
      clientVersion,
      authorizations,
      capabilities,
      signal: this.#ending.signal,
      onBroken: () => this.activity.detailChanged(),
      onFrame: (direction, message) =>
        this.activity.addFrame(direction, message, redact(JSON.stringify(message) ?? String(message))),
    });
    this.#session = session;
    this.#isAuthorized = await this.#hasToken();
    for (const method of answeredMethods) session.onRequest(method, this.#byHand);
    // From 2026-07-28 on a server logs only for clients that listen; the messages are shown among the frames.
    session.onNotification('notifications/message', () => undefined);
    for (const method of listChanges) session.onNotification(method, () => void this.refresh().catch(() => undefined));
    await this.refresh();
  }

  /** Lets a user answer a request of the server. */
  readonly #byHand: ServerRequestHandler = async ({ method, params }, signal) => {
    const id = `request-${++this.#lastId}`;
    const item = this.#redact({ id, method, params, at: Date.now(), answer: null });
    const [call, ...others] = this.activity.openCalls;
    const ofCall = call && others.length === 0 ? call.id : undefined;
    this.activity.putRequest({ ...item, state: 'waiting' });
    const end = (state: 'answered' | 'refused' | 'withdrawn', answer: unknown): void => {
      this.activity.putRequest({ ...item, state, answer: this.#redact(answer) });
      if (ofCall !== undefined && state !== 'withdrawn')
        this.#answered.set(ofCall, [
          ...(this.#answered.get(ofCall) ?? []),
          { method, params, state, answer: this.#redactOf(ofCall, answer) },
        ]);
    };
    try {
      const result = await this.#userAnswer(id, AbortSignal.any([signal, this.#ending.signal]));
      end('answered', result);
      return result;
    } catch (error) {
      if (error instanceof RpcError) end('refused', { code: error.code, message: error.message });
      else end('withdrawn', null);
      throw error;
    }
  };

  #userAnswer(id: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(id);
        reject(new AssayError('INTERRUPTED', 'The server does not want the answer any more.'));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #answeredCall(id: string, answer: McpAnswer): void {
    const durationMs = answer.latencyMs;
    if (answer.kind === 'result') this.#endCall(id, { state: 'result', durationMs, result: answer.result });
    else {
      const { code, message, data = null } = answer;
      this.#endCall(id, { state: 'error', durationMs, error: { code, message, data } });
    }
  }

  #failedCall(id: string, { code, message }: AssayError, isCancelled: boolean): void {
    const durationMs = Date.now() - this.#call(id).startedAt;
    const state = isCancelled ? 'cancelled' : 'failed';
    this.#endCall(id, { state, durationMs, error: { code, message, data: null } });
  }

  #endCall(id: string, end: Pick<HandCall, 'state' | 'durationMs'> & Partial<HandCall>): void {
    const call = { ...this.#call(id), ...this.#redactOf(id, end) };
    this.activity.putCall({ ...call, ...testPartOf(call, this.#answered.get(id) ?? []) });
  }

  #call(id: string): HandCall {
    const call = this.activity.findCall(id);
    if (!call) throw new AssayError('NOT_FOUND', `There is no call "${id}" in this session.`);
    return call;
  }

  #working(): McpSession {
    if (this.status === 'open' && this.#session) return this.#session;
    const why = this.#problem ? ` ${this.#problem.message}` : '';
    throw new AssayError('USAGE', `The session is ${this.status}.${why}`, { hint: 'Open a new session.' });
  }

  async #hasToken(): Promise<boolean> {
    const { definition, authorizations, env } = this.settings;
    const authorization = isHttpServer(definition) ? authorizations.to(definition, env) : undefined;
    const headers = await authorization?.headers(this.#ending.signal).catch(() => undefined);
    return headers !== undefined && 'authorization' in headers;
  }

  #loginDetail(): WorkbenchSessionDetail['login'] {
    const { state, page = null, message = null } = this.#login?.progress ?? {};
    if (state === 'waiting') return { state, page, message };
    if (this.#problem?.code === 'MCP_LOGIN_REQUIRED')
      return {
        state: state === 'failed' ? state : 'required',
        page: null,
        message: state === 'failed' ? message : null,
      };
    return { state: this.#isAuthorized ? 'logged-in' : 'not-needed', page: null, message };
  }

  #facts(): WorkbenchSessionDetail['facts'] {
    if (!this.#session) return null;
    const { name, version, protocolVersion, capabilities: offered, instructions = null } = this.#session.facts;
    return { name, version, protocolVersion, capabilities: { ...offered }, instructions };
  }

  #redactOf<Value>(callId: string, value: Value): Value {
    const redacted = this.#redact(value);
    if (JSON.stringify(redacted) !== JSON.stringify(value)) this.#redacted.add(callId);
    return redacted;
  }

  #redact<Value>(value: Value): Value {
    return redactDeep(value, this.settings.redact);
  }
}

const unanswered = {
  durationMs: null,
  state: 'open',
  result: null,
  error: null,
  testPart: null,
  whyNoTest: 'It is not answered yet.',
} as const;
