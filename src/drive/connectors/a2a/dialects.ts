/** A message of the user, as a request carries it. */
interface Outgoing {
  readonly messageId: string;
  readonly text: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

/** How one version of the protocol names its methods and writes its messages. */
export interface A2aDialect {
  readonly send: string;
  readonly stream: string;
  readonly get: string;
  readonly headers: Readonly<Record<string, string>>;
  paramsOf(message: Outgoing): Readonly<Record<string, unknown>>;
}

const acceptedOutputModes = ['text/plain', 'application/json'];

const version1: A2aDialect = {
  send: 'SendMessage',
  stream: 'SendStreamingMessage',
  get: 'GetTask',
  headers: { 'a2a-version': '1.0' },
  paramsOf: ({ messageId, text, contextId, taskId }) => ({
    message: { messageId, contextId, taskId, role: 'ROLE_USER', parts: [{ text }] },
    configuration: { acceptedOutputModes },
  }),
};

const version03: A2aDialect = {
  send: 'message/send',
  stream: 'message/stream',
  get: 'tasks/get',
  headers: {},
  paramsOf: ({ messageId, text, contextId, taskId }) => ({
    message: { kind: 'message', messageId, contextId, taskId, role: 'user', parts: [{ kind: 'text', text }] },
    configuration: { acceptedOutputModes, blocking: true },
  }),
};

/** Undefined for a version that is not spoken here. */
export function dialectOf(version: string): A2aDialect | undefined {
  if (/^1(\.|$)/.test(version)) return version1;
  return /^0\.[23](\.|$)/.test(version) ? version03 : undefined;
}
