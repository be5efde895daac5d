import { AssayError } from '../../../../domain/errors.ts';
import { gapOf } from '../../../../domain/loss.ts';
import { type SuiteTest, testCallId } from '../../../../domain/mcp/suite-tests.ts';
import type { ToolError } from '../../../../domain/tool-error.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { answeredByOf } from '../../../mcp/control/mcp-reply.ts';
import { metaKeys } from '../../../mcp/protocol-versions.ts';
import { errorOfAnswer, missingContent } from '../../../mcp/result-losses.ts';
import { ServerMessages, type Wanted } from '../../../mcp/server-messages.ts';
import type { McpAnswer, McpRequestOptions, McpSession, TaskExchange } from '../../../mcp/session.ts';

/** How a server answered: with a result, or with an error of whatever kind. */
interface Reply {
  readonly result: Readonly<Record<string, unknown>> | undefined;
  readonly error: ToolError | undefined;
}

/** How a tool is called, beside its arguments. */
interface CallSettings {
  readonly isTask?: boolean | undefined;
  readonly cancelAfterMs?: number | undefined;
  readonly logLevel?: string | undefined;
  /** Notifications that the test expects. */
  readonly wanted?: Wanted | undefined;
}

/** Everything that is said between us and a server in one attempt of a test, on record as it is said. */
export class TestSession {
  readonly session: McpSession;
  readonly #test: Pick<SuiteTest, 'index' | 'kind'>;
  readonly #limits: McpRequestOptions;
  readonly #emit: EmitTrace;
  #callCount: number;
  /** Of all answers together. */
  latencyMs = 0;
  timedOut = false;
  callId: string | null = null;
  /** Of the last request that was not answered with a result. */
  error: ToolError | undefined;

  constructor(
    session: McpSession,
    test: Pick<SuiteTest, 'index' | 'kind'>,
    callsBefore: number,
    client: { readonly limits: McpRequestOptions; readonly emit: EmitTrace },
  ) {
    this.session = session;
    this.#test = test;
    this.#callCount = callsBefore;
    this.#limits = client.limits;
    this.#emit = client.emit;
  }

  /** Calls a tool; a result that says of itself that it is an error is one. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { isTask, cancelAfterMs, logLevel, wanted }: CallSettings = {},
  ): Promise<Reply> {
    const callId = testCallId(this.#test.index, ++this.#callCount);
    this.callId = callId;
    this.#emit({ type: 'tool-call', kind: 'mcp', callId, tool, server: onlyServerName, input: args });
    const began = performance.now();
    const emit = (reply: Partial<Reply>, latencyMs: number, answeredBy?: McpAnswer['answeredBy']): void => {
      this.#emit({
        type: 'tool-result',
        callId,
        durationMs: latencyMs,
        ...outcomeOf(reply),
        ...(answeredBy && { answeredBy }),
      });
      for (const loss of missingContent(reply.result)) this.#emit(gapOf(loss));
    };
    const { index: test, kind } = this.#test;
    const refusesRequests = kind !== 'sampling' && kind !== 'elicitation';
    using messages = new ServerMessages(this.session, this.#emit, { callId, test, refusesRequests, wanted });
    const { progressToken } = messages;
    const level =
      logLevel !== undefined && this.session.facts.era === 'modern' ? { [metaKeys.logLevel]: logLevel } : {};
    // A signal for each call would cost more than the call.
    const cancelling = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs);
    const signals = [cancelling, this.#limits.signal].filter((signal) => signal !== undefined);
    try {
      const answer = await this.session.callTool(tool, args, {
        ...this.#limits,
        signal: cancelling ? AbortSignal.any(signals) : this.#limits.signal,
        meta: { progressToken, ...level },
        isTask,
        onTaskExchange: (exchange) => this.#emitTaskExchange(exchange),
      });
      const reply = replyOf(answer);
      emit(reply, answer.latencyMs, answer.answeredBy);
      if (!reply.error) await messages.arrived();
      return this.#heard(reply, answer.latencyMs);
    } catch (thrown) {
      if (!cancelling?.aborted) return this.#unanswered('Tool call', thrown, began, emit);
      const message = `Cancelled after ${cancelAfterMs} ms`;
      const reply = { result: undefined, error: { message, code: 'CANCELLED' } };
      emit(reply, performance.now() - began);
      return reply;
    }
  }

  #emitTaskExchange({ method, params, answer }: TaskExchange): void {
    const outcome = outcomeOf(replyOf(answer));
    this.emitExchange('to-server', { method, params, durationMs: answer.latencyMs, ...outcome });
  }

  /** Any request but a tool call. */
  async request(method: string, params: Readonly<Record<string, unknown>>): Promise<Reply> {
    const began = performance.now();
    const emit = (reply: Partial<Reply>, durationMs: number): void =>
      this.emitExchange('to-server', { method, params, durationMs, ...outcomeOf(reply) });
    try {
      const answer = await this.session.request(method, params, this.#limits);
      const reply = replyOf(answer);
      emit(reply, answer.latencyMs);
      return this.#heard(reply, answer.latencyMs);
    } catch (thrown) {
      return this.#unanswered(method, thrown, began, emit);
    }
  }

  emitExchange(
    direction: 'to-server' | 'from-server',
    exchange: {
      readonly method: string;
      readonly params: unknown;
      readonly durationMs: number;
      readonly result?: unknown;
      readonly error?: ToolError;
    },
  ): void {
    this.#emit({ type: 'mcp-exchange', test: this.#test.index, direction, ...exchange });
  }

  /** A time limit that was reached is its own kind of answer; everything else is the fault of the server. */
  #unanswered(
    what: string,
    thrown: unknown,
    began: number,
    emit: (reply: Partial<Reply>, latencyMs: number, answeredBy?: McpAnswer['answeredBy']) => void,
  ): Reply {
    if (!(thrown instanceof AssayError) || this.#limits.signal?.aborted) throw thrown;
    const latencyMs = performance.now() - began;
    const answeredBy = answeredByOf(thrown);
    if (answeredBy) {
      const broken = { result: undefined, error: { message: thrown.message, code: thrown.code } };
      emit(broken, latencyMs, answeredBy);
      return this.#heard(broken, latencyMs);
    }
    if (thrown.code !== 'MCP_SERVER_TIMEOUT') {
      emit({ error: { message: thrown.message, code: thrown.code } }, latencyMs);
      throw thrown;
    }
    this.timedOut = true;
    const message = `${what} timeout: no answer within ${this.#limits.timeoutMs} ms`;
    const reply = { result: undefined, error: { message, code: thrown.code } };
    emit(reply, latencyMs);
    return this.#heard(reply, latencyMs);
  }

  #heard(reply: Reply, latencyMs: number): Reply {
    this.latencyMs += latencyMs;
    if (reply.error) this.error = reply.error;
    return reply;
  }
}

/** A reply as fields of an event. */
function outcomeOf({ result, error }: Partial<Reply>) {
  return { ...(result && { result }), ...(error && { error }) };
}

function replyOf(answer: McpAnswer): Reply {
  return { result: answer.kind === 'result' ? answer.result : undefined, error: errorOfAnswer(answer) };
}

/** A server that never ends its list is not listened to for ever. */
const mostPages = 1_000;

/** Asks for a list page by page; what each page holds is on record. The last answer shows whether all went well. */
export async function allPages(client: TestSession, method: string): Promise<Reply> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const reply = await client.request(method, cursor === undefined ? {} : { cursor });
    const next = reply.result?.nextCursor;
    // Some servers end their list with an empty cursor; it is not the cursor of a page.
    if (reply.error || typeof next !== 'string' || next === '') return reply;
    if (cursors.has(next)) throw endless(client, method, 'with the same page again and again');
    if (page >= mostPages) throw endless(client, method, `with more than ${mostPages} pages`);
    cursor = next;
    cursors.add(next);
  }
}

function endless({ session }: TestSession, method: string, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${session.facts.label}" answered ${method} ${how}.`);
}
