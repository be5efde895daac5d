import { isRecord } from '../../../shared/json.ts';

/** How an agent is reached. */
export interface A2aInterface {
  readonly url: string;
  readonly dialect: A2aDialect;
  readonly canStream: boolean;
}

/** The JSON-RPC interface that a card offers; a text says why there is none. */
export function interfaceIn(card: unknown): A2aInterface | string {
  if (!isRecord(card)) return 'is not a JSON object';
  const canStream = isRecord(card.capabilities) && card.capabilities.streaming === true;
  const offered = [...listed(card.supportedInterfaces), ...older(card)];
  const speaking = offered.filter(({ binding }) => binding.toUpperCase() === 'JSONRPC');
  if (speaking.length === 0) {
    const bindings = offered.map(({ binding }) => binding).join(', ');
    return bindings === '' ? 'names no interface' : `offers no JSON-RPC interface, only ${bindings}`;
  }
  for (const { url, version } of speaking) {
    const dialect = dialectOf(version);
    if (dialect && URL.canParse(url) && /^https?:/.test(url)) return { url, dialect, canStream };
  }
  return `offers JSON-RPC only at ${speaking.map(({ url, version }) => `${url} (A2A ${version})`).join(', ')}`;
}

interface OfferedInterface {
  readonly url: string;
  readonly binding: string;
  readonly version: string;
}

function listed(interfaces: unknown): OfferedInterface[] {
  if (!Array.isArray(interfaces)) return [];
  return interfaces.filter(isRecord).map(({ url, protocolBinding, protocolVersion }) => ({
    url: textOf(url),
    binding: textOf(protocolBinding),
    version: textOf(protocolVersion) || '1.0',
  }));
}

/** Before 1.0 a card had one address, and further ones in another list. */
function older({ url, preferredTransport, additionalInterfaces, protocolVersion }: Record<string, unknown>) {
  const version = textOf(protocolVersion) || '0.3';
  const main = typeof url === 'string' ? [{ url, binding: textOf(preferredTransport) || 'JSONRPC', version }] : [];
  const more = Array.isArray(additionalInterfaces) ? additionalInterfaces.filter(isRecord) : [];
  return [...main, ...more.map((each) => ({ url: textOf(each.url), binding: textOf(each.transport), version }))];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A message of the user, as a request carries it. */
interface Outgoing {
  readonly messageId: string;
  readonly text: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

/** How one version of the protocol names its methods and writes its messages. */
interface A2aDialect {
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
function dialectOf(version: string): A2aDialect | undefined {
  if (/^1(\.|$)/.test(version)) return version1;
  return /^0\.[23](\.|$)/.test(version) ? version03 : undefined;
}
