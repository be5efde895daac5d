import { randomUUID } from 'node:crypto';
import { logHolds } from '../../domain/tools/tool-meaning.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import { methodNotFound, RpcError } from '../../shared/json-rpc.ts';
import { inputCapabilities } from './protocol-versions.ts';
import type { McpSession } from './session.ts';

const progress = 'notifications/progress';
const logged = 'notifications/message';

/** Notifications that go into the trace. */
const recordedNotifications: ReadonlySet<string> = new Set([
  progress,
  logged,
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
  'notifications/tasks',
]);

const serverRequests: ReadonlySet<string> = new Set(Object.keys(inputCapabilities));

/** Of one call; further ones are only counted. */
const mostRecorded = 100;

interface CallFacts {
  readonly callId?: string | undefined;
  /** Index of the test of a suite. */
  readonly test?: number | undefined;
  /** Whether requests of the server are refused and recorded; false where a test answers them. */
  readonly refusesRequests: boolean;
  /** Answers what the server asks its user for; undefined where that is refused too. */
  readonly elicit?: ((params: unknown) => Promise<Readonly<Record<string, unknown>>>) | undefined;
  /** Notifications that a test expects of the call. */
  readonly wanted?: Wanted | undefined;
}

/** Notifications that are waited for after the answer. */
export interface Wanted {
  readonly progress?: number | undefined;
  /** Text of a log message. */
  readonly log?: string | undefined;
}

/** How long a notification of a call may come after its answer. */
const mostLateMs = 1_000;

/** Which of the wanted notifications have come. */
class WantedNotifications {
  readonly complete: Promise<void>;
  #completed: () => void = () => undefined;
  #progressLeft: number;
  #log: string | undefined;

  constructor({ progress = 0, log }: Wanted) {
    this.#progressLeft = progress;
    this.#log = log;
    this.complete = new Promise((resolve) => {
      this.#completed = resolve;
    });
  }

  get isComplete(): boolean {
    return this.#progressLeft <= 0 && this.#log === undefined;
  }

  take(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === progress) this.#progressLeft--;
    if (method === logged && this.#log !== undefined && logHolds(params, this.#log)) this.#log = undefined;
    if (this.isComplete) this.#completed();
  }
}

/** Puts what a server sends on its own during one call into the trace: progress, log messages, requests. */
export class ServerMessages implements Disposable {
  /** Unique, because users of one session hear each other's notifications. */
  readonly progressToken = randomUUID();
  readonly #emit: EmitTrace;
  readonly #facts: Pick<CallFacts, 'callId' | 'test'>;
  readonly #listening: Disposable;
  readonly #refusing: Disposable | undefined;
  readonly #wanted: WantedNotifications | undefined;
  #count = 0;

  constructor(session: McpSession, emit: EmitTrace, facts: CallFacts) {
    const { refusesRequests, elicit, callId, test, wanted } = facts;
    this.#emit = emit;
    this.#wanted = wanted && new WantedNotifications(wanted);
    this.#facts = { ...(callId !== undefined && { callId }), ...(test !== undefined && { test }) };
    this.#listening = session.onNotification(recordedNotifications, (params, method) => this.#heard(method, params));
    this.#refusing = refusesRequests ? this.#refuse(session, elicit) : undefined;
  }

  #heard(method: string, params: unknown): void {
    const isOfOtherCall = method === progress && !(isRecord(params) && params.progressToken === this.progressToken);
    if (isOfOtherCall || ++this.#count > mostRecorded) return;
    this.#emit({ type: 'mcp-notification', direction: 'from-server', method, params, ...this.#facts });
    if (isRecord(params)) this.#wanted?.take(method, params);
  }

  /**
   * Waits until the wanted notifications have come, for a limited time: over HTTP they may take another stream than
   * the answer, and arrive after it.
   */
  async arrived(limitMs = mostLateMs): Promise<void> {
    if (!this.#wanted || this.#wanted.isComplete) return;
    const complete = this.#wanted.complete;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([complete, late]).finally(() => clearTimeout(timer));
  }

  #refuse(session: McpSession, elicit: CallFacts['elicit']): Disposable {
    return session.onRequest(serverRequests, async ({ method, params }) => {
      if (elicit && method === 'elicitation/create') return this.#answer(params, elicit);
      const refusal = new RpcError(methodNotFound, `This client does not answer ${method}.`);
      const { test } = this.#facts;
      const error = { message: refusal.message, code: methodNotFound };
      const exchange = { direction: 'from-server', method, params, durationMs: 0, error } as const;
      this.#emit({ type: 'mcp-exchange', ...exchange, ...(test !== undefined && { test }) });
      throw refusal;
    });
  }

  async #answer(params: unknown, elicit: NonNullable<CallFacts['elicit']>): Promise<Record<string, unknown>> {
    const began = performance.now();
    const result = await elicit(params);
    const exchange = { direction: 'from-server', method: 'elicitation/create', params, result } as const;
    this.#emit({ type: 'mcp-exchange', ...exchange, durationMs: performance.now() - began });
    return result;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#refusing?.[Symbol.dispose]();
    const left = this.#count - mostRecorded;
    if (left > 0) this.#emit({ type: 'notice', message: `${left} more notifications of the server are not kept` });
  }
}
