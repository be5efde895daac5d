import { randomUUID } from 'node:crypto';
import type { EmitTrace } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import { methodNotFound, RpcError } from '../../shared/json-rpc.ts';
import type { McpSession } from './session.ts';

const progress = 'notifications/progress';

/** Notifications that go into the trace. */
const recordedNotifications: ReadonlySet<string> = new Set([
  progress,
  'notifications/message',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
  'notifications/tasks',
]);

const serverRequests: ReadonlySet<string> = new Set(['sampling/createMessage', 'elicitation/create', 'roots/list']);

/** Of one call; further ones are only counted. */
const mostRecorded = 100;

interface CallFacts {
  readonly callId?: string | undefined;
  /** Index of the test of a suite. */
  readonly test?: number | undefined;
  /** Whether requests of the server are refused and recorded; false where a test answers them. */
  readonly refusesRequests: boolean;
}

/** Puts what a server sends on its own during one call into the trace: progress, log messages, requests. */
export class ServerMessages implements Disposable {
  /** Unique, because users of one session hear each other's notifications. */
  readonly progressToken = randomUUID();
  readonly #emit: EmitTrace;
  readonly #facts: Pick<CallFacts, 'callId' | 'test'>;
  readonly #listening: Disposable;
  readonly #refusing: Disposable | undefined;
  #count = 0;

  constructor(session: McpSession, emit: EmitTrace, { refusesRequests, callId, test }: CallFacts) {
    this.#emit = emit;
    this.#facts = { ...(callId !== undefined && { callId }), ...(test !== undefined && { test }) };
    this.#listening = session.onNotification(recordedNotifications, (params, method) => this.#heard(method, params));
    this.#refusing = refusesRequests ? this.#refuse(session) : undefined;
  }

  #heard(method: string, params: unknown): void {
    const isOfOtherCall = method === progress && !(isRecord(params) && params.progressToken === this.progressToken);
    if (isOfOtherCall || ++this.#count > mostRecorded) return;
    this.#emit({ type: 'mcp-notification', direction: 'from-server', method, params, ...this.#facts });
  }

  #refuse(session: McpSession): Disposable {
    return session.onRequest(serverRequests, async ({ method, params }) => {
      const refusal = new RpcError(methodNotFound, `This client does not answer ${method}.`);
      const { test } = this.#facts;
      const error = { message: refusal.message, code: methodNotFound };
      const exchange = { direction: 'from-server', method, params, durationMs: 0, error } as const;
      this.#emit({ type: 'mcp-exchange', ...exchange, ...(test !== undefined && { test }) });
      throw refusal;
    });
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#refusing?.[Symbol.dispose]();
    const left = this.#count - mostRecorded;
    if (left > 0) this.#emit({ type: 'notice', message: `${left} more notifications of the server are not kept` });
  }
}
