import { AssayError } from '../domain/errors.ts';
import { isRecord } from '../shared/json.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { McpAnswer, OpenSessionOptions, ServerFacts } from './session.ts';

/** The versions of the protocol that are spoken here, the one that is asked for first. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

type Greeting = Omit<ServerFacts, 'label' | 'transport'>;

/** Begins a session as the protocol says; what the server says of itself is checked. */
export async function shakeHands(label: string, peer: RpcPeer, options: OpenSessionOptions): Promise<Greeting> {
  const { timeoutMs, signal, capabilities = {}, clientVersion = '1' } = options;
  const clientInfo = { name: 'assay', title: 'Assay', version: clientVersion };
  const params = { protocolVersion: protocolVersions[0], capabilities, clientInfo };
  return greetingFrom(label, await peer.request('initialize', params, { timeoutMs, signal }));
}

function greetingFrom(label: string, answer: McpAnswer): Greeting {
  if (answer.kind === 'error') {
    const supported = isRecord(answer.data) ? answer.data.supported : undefined;
    if (Array.isArray(supported)) throw otherVersion(label, `only version ${supported.join(', ')}`);
    const message = `The MCP server "${label}" refused to begin a session: ${answer.message} (${answer.code}).`;
    throw new AssayError('MCP_SERVER_NOT_STARTED', message);
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = answer.result;
  if (!isSpoken(protocolVersion)) {
    throw otherVersion(label, typeof protocolVersion === 'string' ? `version ${protocolVersion}` : 'no version');
  }
  if (!isRecord(capabilities)) throw violation(label, 'answered initialize without `capabilities`');
  if (!isRecord(serverInfo) || typeof serverInfo.name !== 'string')
    throw violation(label, 'answered initialize without `serverInfo.name`');
  return {
    name: serverInfo.name,
    version: typeof serverInfo.version === 'string' ? serverInfo.version : '',
    protocolVersion,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function isSpoken(version: unknown): version is string {
  return protocolVersions.some((spoken) => spoken === version);
}

function otherVersion(label: string, theirs: string): AssayError {
  return violation(label, `speaks ${theirs} of the protocol; Assay speaks ${protocolVersions.join(', ')}`);
}

function violation(label: string, what: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" ${what}.`);
}
