import { asAssayError } from '../../domain/errors.ts';
import { refusalText } from '../../drive/mcp/schemas/refusal.ts';
import type { McpAnswer, McpSession, OpenSessionOptions, ServerFacts } from '../../drive/mcp/session.ts';
import { isRecord } from '../../shared/json.ts';
import type { RequestFinding } from '../definitions/rule.ts';
import { isRefusal } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import { FrameWatch } from './frame-watch.ts';
import { protocolRules } from './protocol-rules.ts';
import type { ServerAccess } from './server-access.ts';
import { clientCapabilities, requestWithoutOffer, simulateClient } from './simulated-client.ts';

type Params = Readonly<Record<string, unknown>>;

/** The outcome of a request: an answer, a timeout, or the end of the session. */
export type RequestEnd =
  | { readonly kind: 'answer'; readonly answer: McpAnswer }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** The login does not allow it, which is not a fault of the server. */
  | { readonly kind: 'unauthorized'; readonly message: string };

/** A request for a tool, a prompt or a resource by its name. */
export interface NamedRequest {
  readonly method: string;
  readonly params: Params;
}

/** Methods that name what they ask for, those that only read first. */
const byName = ['resources/read', 'prompts/get', 'tools/call'];

const typePath = 'result.resultType';
const mostFailures = 30;
const pingTimeoutMs = 5_000;

/** A server that may fail at any time and is then opened again. */
export class ServerUnderCheck implements AsyncDisposable {
  readonly #access: ServerAccess;
  readonly #notices = new Set<string>();
  readonly #frames: FrameWatch;
  /** The first request of each method by name that was granted. */
  readonly #granted = new Map<string, Params>();
  #lastToken = 0;
  #session: McpSession;
  /** How often it had to be opened again. */
  failures = 0;
  /** How often the server said that its tools changed. */
  announcedChanges = 0;
  /** Why the server cannot be had any more; undefined while it can. */
  lost: string | undefined;
  /** Why the login does not allow everything; undefined while it does. */
  unauthorized: string | undefined;
  #reopening: Promise<void> | undefined;

  private constructor(access: ServerAccess, session: McpSession, frames: FrameWatch) {
    this.#access = access;
    this.#session = session;
    this.#frames = frames;
    this.#listen();
  }

  static async open(access: ServerAccess): Promise<ServerUnderCheck> {
    const frames = new FrameWatch();
    const session = await access.open(watchedBy(frames));
    const server = new ServerUnderCheck(access, session, frames);
    await server.#limitLogs();
    return server;
  }

  get facts(): ServerFacts {
    return this.#session.facts;
  }

  get timeoutMs(): number {
    return this.#access.timeoutMs;
  }

  /** Requests by name that the server answered with a result, one of each method. */
  grantedByName(): readonly NamedRequest[] {
    return byName.flatMap((method) => {
      const params = this.#granted.get(method);
      return params ? [{ method, params }] : [];
    });
  }

  /** Output of the server that is not part of the protocol. */
  notices(): readonly string[] {
    for (const notice of this.#session.notices()) this.#notices.add(notice);
    return [...this.#notices];
  }

  /** Problems of messages that no answer shows. */
  frameFindings(): readonly RequestFinding[] {
    return this.#frames.findings(this.facts);
  }

  /** Requests of the server to a client that does not offer them; from 2026-07-28 on it sends none by itself. */
  async assumedOfClients(): Promise<readonly RequestFinding[]> {
    const { suspects } = this.#frames;
    if (suspects.length === 0 || this.facts.era === 'modern' || this.lost !== undefined) return [];
    const method = await requestWithoutOffer(this.#access, suspects);
    return method === undefined
      ? []
      : [{ rule: protocolRules.clientCapabilityAssumed, message: `It sends \`${method}\`.` }];
  }

  callTool(name: string, args: Params): Promise<RequestEnd> {
    const _meta = { progressToken: `assay-${++this.#lastToken}` };
    return this.request('tools/call', { name, arguments: args, _meta });
  }

  /** Asks the server; one that failed is open again afterwards, or else lost. */
  async request(method: string, params: Params): Promise<RequestEnd> {
    const { timeoutMs, signal } = this.#access;
    await this.#reopening;
    if (this.lost !== undefined) return { kind: 'failed', message: this.lost };
    const session = this.#session;
    try {
      const answer = this.#withoutGeneral(await session.request(method, params, { timeoutMs, signal }));
      this.#keepGranted(method, params, answer);
      return { kind: 'answer', answer };
    } catch (error) {
      const { code, message } = asAssayError(error);
      if (code === 'INTERRUPTED' || signal?.aborted) throw error;
      if (code === 'MCP_LOGIN_REQUIRED') {
        this.unauthorized ??= message;
        if (session.broken) await this.#replace(session, message);
        return { kind: 'unauthorized', message };
      }
      if (code !== 'MCP_SERVER_TIMEOUT') {
        await this.#replace(session, message);
        return { kind: 'failed', message };
      }
      if (!(await this.#isWell(session))) await this.#replace(session, message);
      return { kind: 'timeout', message };
    }
  }

  /** A refusal that all answers share is one problem of the server, and not one of each request. */
  #withoutGeneral(answer: McpAnswer): McpAnswer {
    const { refusal, ...rest } = answer;
    if (refusal === undefined || (refusal.path.startsWith('result.') && refusal.path !== typePath)) return answer;
    this.#frames.note(
      refusal.path === typePath ? protocolRules.resultTypeMissing : behaviours.messageRefused,
      `An answer: ${refusalText(refusal)}.`,
    );
    return rest;
  }

  #keepGranted(method: string, params: Params, answer: McpAnswer): void {
    if (!byName.includes(method) || this.#granted.has(method) || isRefusal(answer)) return;
    this.#granted.set(method, params);
  }

  /** A server that is busy with one call for good answers no other. */
  async #isWell(session: McpSession): Promise<boolean> {
    if (session.broken) return false;
    const timeoutMs = Math.min(pingTimeoutMs, this.#access.timeoutMs);
    try {
      await session.request(session.aliveMethod, {}, { timeoutMs, signal: this.#access.signal });
      return true;
    } catch {
      return false;
    }
  }

  /** Requests that fail together with one session get one new session. */
  #replace(failed: McpSession, reason: string): Promise<void> | undefined {
    if (this.#session !== failed || this.lost !== undefined) return this.#reopening;
    this.#reopening ??= this.#reopen(reason).finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #reopen(reason: string): Promise<void> {
    this.notices();
    await this.#session[Symbol.asyncDispose]();
    this.failures++;
    if (this.failures > mostFailures) {
      this.lost = `The server failed ${this.failures} times, the last time: ${reason}`;
      return;
    }
    try {
      this.#frames.restart();
      this.#session = await this.#access.open(watchedBy(this.#frames));
      this.#listen();
      await this.#limitLogs();
    } catch (error) {
      const { code, message } = asAssayError(error);
      if (code === 'INTERRUPTED') throw error;
      this.lost = `It could not be opened again: ${message}`;
    }
  }

  /** Asks for severe log messages only; whether the server keeps to it is seen in its messages. */
  async #limitLogs(): Promise<void> {
    const { era, capabilities } = this.facts;
    if (era !== 'legacy' || !isRecord(capabilities.logging)) return;
    const { timeoutMs, signal } = this.#access;
    try {
      await this.#session.request('logging/setLevel', { level: 'error' }, { timeoutMs, signal });
    } catch (error) {
      // The next request finds out what is wrong with the server.
      if (signal?.aborted) throw error;
    }
  }

  #listen(): void {
    simulateClient(this.#session, this.#access.rootFolder);
    this.#session.onNotification('notifications/tools/list_changed', () => {
      this.announcedChanges++;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/** A check goes on after what ends other sessions: it is to find all that is wrong. */
function watchedBy(frames: FrameWatch): Pick<OpenSessionOptions, 'onFrame' | 'takesRefused' | 'capabilities'> {
  return {
    takesRefused: true,
    capabilities: clientCapabilities,
    onFrame: (direction, message) => frames.see(direction, message),
  };
}
