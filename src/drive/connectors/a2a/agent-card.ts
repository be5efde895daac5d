import { isRecord } from '../../../shared/json.ts';
import { type A2aDialect, dialectOf } from './dialects.ts';

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
