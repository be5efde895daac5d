import type { ErrorCode } from '../../../domain/errors.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord } from '../../../shared/json.ts';
import type { MockAnswer } from '../../tool-control/mock-rule.ts';
import type { RequestId, WireEnd } from '../wire/wire.ts';

type Data = Readonly<Record<string, unknown>>;

/** How a call at the MCP border ends. */
export type McpReply =
  | { readonly kind: 'result'; readonly result: Data }
  | { readonly kind: 'error'; readonly error: Data }
  /** Nothing answers, and the session goes on without an answer to this call. */
  | { readonly kind: 'unanswered'; readonly end: WireEnd }
  /** Nothing answers, because the server is ended and started again; `rule` is the place of the fault. */
  | { readonly kind: 'restart'; readonly rule: string }
  /** Nothing answers, until the caller gives up. */
  | { readonly kind: 'silent' };

/** The answer of a mock as a reply of MCP. */
export function replyOfMock(answer: MockAnswer): McpReply {
  if (answer.kind === 'unusable')
    return { kind: 'unanswered', end: { code: 'MOCK_UNUSABLE', what: `has a mock that ${answer.why}` } };
  // The trace has the reason, with its own code.
  if (answer.kind === 'failed')
    return { kind: 'unanswered', end: { code: 'MOCK_UNUSABLE', what: `could not be simulated: ${answer.why}` } };
  if (answer.kind === 'result') return { kind: 'result', result: resultOf(answer.result) };
  const { error } = answer;
  if (isRecord(error)) return { kind: 'error', error };
  return { kind: 'result', result: failedResult(typeof error === 'string' ? error : JSON.stringify(error)) };
}

/** A result of a tool that says of itself that it failed. */
export function failedResult(text: string): Data {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Text and data in the form of a tool's result; a whole result stays as it is. */
function resultOf(written: unknown): Data {
  if (isRecord(written) && Array.isArray(written.content)) return written;
  if (typeof written === 'string') return { content: [{ type: 'text', text: written }] };
  const content = [{ type: 'text', text: JSON.stringify(written) }];
  return isRecord(written) ? { content, structuredContent: written } : { content };
}

/** Who answered in place of the server; a key that no message of a server can have, and no JSON shows. */
const answeredByKey = Symbol('answered by');

/** A reply as the message that answers a request. */
export function messageOf(
  id: RequestId,
  reply: Extract<McpReply, { kind: 'result' | 'error' }>,
  isModern: boolean,
  answeredBy?: ControlKind,
): Data {
  const mark = answeredBy === undefined ? {} : { [answeredByKey]: answeredBy };
  if (reply.kind === 'error') return { jsonrpc: '2.0', id, error: reply.error, ...mark };
  const result =
    isModern && reply.result.resultType === undefined ? { resultType: 'complete', ...reply.result } : reply.result;
  return { jsonrpc: '2.0', id, result, ...mark };
}

/** Marks an error with the control that caused it. */
export function causedBy<Thrown extends Error>(thrown: Thrown, kind: ControlKind): Thrown {
  return Object.assign(thrown, { [answeredByKey]: kind });
}

/** Who answered a request in place of the server, or caused an error; undefined where the server did. */
export function answeredByOf(message: object): ControlKind | undefined {
  return (message as { readonly [answeredByKey]?: ControlKind })[answeredByKey];
}

/** The id of a request or of its answer; undefined for a notification. */
export function requestIdOf({ id }: Data): RequestId | undefined {
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export type Message = Readonly<Record<string, unknown>>;

/** Sees the messages between a client and the real server. */
export interface FrameSink {
  sent(message: Message): void;
  received(message: unknown): void;
  unanswered(id: RequestId, end: WireEnd): void;
  ended(end: WireEnd): void;
}

/** Errors of the rules of a scenario for its calls: they are wrong whatever a server does. */
export const controlFaults: ReadonlySet<ErrorCode> = new Set([
  'MOCK_UNUSABLE',
  'FAULT_UNUSABLE',
  'ATTACK_UNUSABLE',
  'TOOL_REPLAY_MISS',
]);
