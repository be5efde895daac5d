import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Decision, NumberedCall, Play } from '../../tool-control/control.ts';
import { isModernRequest } from '../protocol-versions.ts';
import type { ToolDefinition } from '../session.ts';
import type { RequestId, Wire, WireEnd, WireListener } from '../wire/wire.ts';
import { listenerAround, WireAround } from '../wire/wire-around.ts';
import type { McpControl } from './mcp-control.ts';
import { type McpReply, messageOf, requestIdOf } from './mcp-reply.ts';
import { RestartableWire } from './restartable-wire.ts';
import { WaitingReplies } from './waiting-replies.ts';

type Message = Readonly<Record<string, unknown>>;

/** A call that the real server answers, and whose answer is not passed on as it is. */
interface OpenCall {
  readonly decision: Decision<McpReply>;
  readonly isModern: boolean;
}

interface ListRequest {
  readonly isFirstPage: boolean;
}

const lostByRestart: WireEnd = {
  code: 'MCP_SERVER_DIED',
  what: 'restarted and lost the request',
  isInjected: true,
};

/** A wire whose tool calls are decided on by a control before the server sees them. */
export class ControlledWire extends WireAround {
  readonly #control: McpControl;
  readonly #listener: WireListener;
  readonly #open = new Map<RequestId, OpenCall>();
  readonly #waiting = new WaitingReplies();
  readonly #lists = new Map<RequestId, ListRequest>();
  readonly #reads = new Map<RequestId, string>();
  #initializeId: RequestId | undefined;
  #tools: ToolDefinition[] = [];

  private constructor(control: McpControl, listener: WireListener) {
    super();
    this.#control = control;
    this.#listener = listener;
  }

  /** Opens the real wire behind it. */
  static async open(
    control: McpControl,
    listener: WireListener,
    openInner: (listener: WireListener) => Promise<Wire>,
  ): Promise<Wire> {
    const wire = new ControlledWire(control, listener);
    const inner = listenerAround(listener, {
      onMessage: (message) => wire.#receive(message),
      onEnd: (end) => {
        wire.#clear();
        listener.onEnd(end);
      },
      onUnanswered: (id, end) => {
        wire.#open.delete(id);
        listener.onUnanswered(id, end);
      },
    });
    wire.behind = control.restartsServer ? await RestartableWire.open(inner, openInner) : await openInner(inner);
    return wire;
  }

  override send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void> | undefined {
    const { method, params } = message;
    const id = requestIdOf(message);
    if (method === 'notifications/cancelled' && isRecord(params) && this.#forget(params.requestId)) return undefined;
    if (id !== undefined && method === 'initialize') this.#initializeId = id;
    if (id !== undefined && method === 'tools/list') this.#beginList(id, params);
    if (id !== undefined && method === 'resources/read' && isRecord(params)) this.#reads.set(id, String(params.uri));
    if (id === undefined || method !== 'tools/call' || !isNewCall(params)) return super.send(message, headers);
    const decision = this.#control.decide(params.name, isRecord(params.arguments) ? params.arguments : {});
    const isModern = isModernRequest(params);
    const gone = this.#control.removed?.announcementOf(params.name);
    if (gone) this.#listener.onMessage(gone);
    if (decision.restartsServer !== undefined) this.#restart(decision.restartsServer);
    if (decision.delayedBy) this.#listener.onDelayed?.(id, decision.delayedBy);
    if (decision.reply !== undefined) {
      const { reply, answeredBy } = decision.alter(decision.reply);
      this.#waiting.add(id, decision.delayMs, () => this.#deliver(id, reply, isModern, answeredBy));
      return undefined;
    }
    if (decision.play) {
      this.#play(id, params.name, decision.play, { decision, isModern });
      return undefined;
    }
    this.#open.set(id, { decision, isModern });
    if (decision.delayMs === 0) return super.send(message, headers);
    this.#waiting.add(id, decision.delayMs, () => void super.send(message, headers));
    return undefined;
  }

  /** Lets a model answer in place of the server. */
  #play(id: RequestId, tool: string, play: Play<McpReply>, { decision, isModern }: OpenCall): void {
    const stop = new AbortController();
    this.#listener.onDelayed?.(id, 'simulate');
    const definition = this.#tools.find(({ name }) => name === tool);
    this.#waiting.hold(id, stop, play(definition, stop.signal), (given) => {
      const { reply, answeredBy } = decision.alter(given);
      this.#waiting.add(id, decision.delayMs, () => this.#deliver(id, reply, isModern, answeredBy));
    });
  }

  override cancel(requestId: RequestId): boolean {
    if (this.#forget(requestId)) return true;
    this.#open.delete(requestId);
    return super.cancel(requestId);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#clear();
    await super[Symbol.asyncDispose]();
  }

  #receive(message: unknown): void {
    const id = isRecord(message) && message.method === undefined ? requestIdOf(message) : undefined;
    if (id === undefined || !isRecord(message)) this.#listener.onMessage(message);
    else this.#answerTo(id, message);
  }

  #answerTo(id: RequestId, message: Message): void {
    const list = this.#lists.get(id);
    const uri = this.#reads.get(id);
    this.#lists.delete(id);
    this.#reads.delete(id);
    const { attack, removed } = this.#control;
    const { result } = message;
    if (list && !this.#fits(id, message)) return;
    if (id === this.#initializeId && removed && isRecord(result)) {
      this.#listener.onMessage({ ...message, result: removed.greeting(result) });
    } else if (list && (attack || removed) && isRecord(result)) {
      const left = removed?.listed(result) ?? result;
      this.#listener.onMessage({ ...message, result: attack?.listed(left, list.isFirstPage) ?? left });
    } else if (uri !== undefined && attack && isRecord(result)) {
      this.#listener.onMessage({ ...message, result: attack.read(uri, result) });
    } else this.#answered(id, message);
  }

  #answered(id: RequestId, message: Message): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    const given = call && replyIn(message);
    const altered = given && call.decision.alter(given);
    if (altered && altered.reply !== given) this.#deliver(id, altered.reply, call.isModern, altered.answeredBy);
    else this.#listener.onMessage(message);
  }

  #deliver(id: RequestId, reply: McpReply, isModern: boolean, answeredBy: ControlKind | undefined): void {
    if (reply.kind === 'restart') {
      this.#restart(reply.rule);
      this.#listener.onUnanswered(id, lostByRestart);
    } else if (reply.kind === 'silent') this.#listener.onSilenced?.(id);
    else if (reply.kind === 'unanswered') this.#listener.onUnanswered(id, reply.end);
    else this.#listener.onMessage(messageOf(id, reply, isModern, answeredBy));
  }

  /** Other requests that the server had not answered are lost with it; calls among them are broken by the same fault. */
  #restart(rule: string): void {
    if (!(this.behind instanceof RestartableWire)) return;
    this.behind.restart((lost) => {
      for (const id of lost) {
        const call = this.#open.get(id)?.decision.call;
        if (call) this.#reportLost(call, rule);
        this.#open.delete(id);
        this.#lists.delete(id);
        this.#reads.delete(id);
        this.#listener.onUnanswered(id, lostByRestart);
      }
    });
  }

  #reportLost({ server, tool, number }: NumberedCall, rule: string): void {
    this.#control.onAction({
      ...{ border: 'mcp', ...(server !== undefined && { server }), tool, callNumber: number },
      ...{ kind: 'fault', rule, what: 'was lost because the server restarted on purpose', fault: 'server-restart' },
    });
  }

  /** True for a call that waits here, and of which the server knows nothing. */
  #forget(id: unknown): boolean {
    if (!this.#waiting.cancel(id)) return false;
    this.#open.delete(id as RequestId);
    return true;
  }

  #clear(): void {
    this.#waiting.clear();
    this.#open.clear();
  }

  #beginList(id: RequestId, params: unknown): void {
    const isFirstPage = !isRecord(params) || params.cursor === undefined;
    if (isFirstPage) this.#tools = [];
    this.#lists.set(id, { isFirstPage });
  }

  /** Whether the mocks fit the tools of the server, as soon as all pages are known; the request fails where they do not. */
  #fits(id: RequestId, { result }: Message): boolean {
    if (!isRecord(result) || !Array.isArray(result.tools)) return true;
    this.#tools.push(...(result.tools.filter(isRecord) as unknown as ToolDefinition[]));
    if (typeof result.nextCursor === 'string' && result.nextCursor !== '') return true;
    const end = this.#control.problemIn(this.#tools);
    if (end === undefined) return true;
    this.#listener.onUnanswered(id, end);
    return false;
  }
}

/** A call that is sent for the first time: one for which the server needed input is sent again with it. */
function isNewCall(params: unknown): params is Message & { readonly name: string } {
  return (
    isRecord(params) &&
    typeof params.name === 'string' &&
    params.inputResponses === undefined &&
    params.requestState === undefined
  );
}

function replyIn({ result, error }: Message): McpReply | undefined {
  if (isRecord(error)) return { kind: 'error', error };
  return isRecord(result) ? { kind: 'result', result } : undefined;
}
