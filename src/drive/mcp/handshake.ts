import { AssayError } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { printable } from '../../shared/text.ts';
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
    if (Array.isArray(supported)) throw otherVersion(label, supported, `only version ${supported.join(', ')}`);
    const message = `The MCP server "${label}" refused to begin a session: ${printable(answer.message)} (${answer.code}).`;
    throw new AssayError('MCP_SERVER_NOT_STARTED', message);
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = answer.result;
  if (!isSpoken(protocolVersion)) {
    const theirs = typeof protocolVersion === 'string' ? `version ${protocolVersion}` : 'no version';
    throw otherVersion(label, [protocolVersion], theirs);
  }
  if (!isRecord(capabilities)) throw violation(label, 'answered initialize without `capabilities`');
  if (!isRecord(serverInfo) || typeof serverInfo.name !== 'string')
    throw violation(label, 'answered initialize without `serverInfo.name`');
  return {
    name: printable(serverInfo.name),
    version: typeof serverInfo.version === 'string' ? printable(serverInfo.version) : '',
    protocolVersion,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function isSpoken(version: unknown): version is string {
  return protocolVersions.some((spoken) => spoken === version);
}

/** A server is at fault for a version that never was, not for one that is newer than this program. */
function otherVersion(label: string, versions: readonly unknown[], theirs: string): AssayError {
  const what = `speaks ${printable(theirs)} of the protocol; Assay speaks ${protocolVersions.join(', ')}`;
  if (!versions.some(isNewer)) return violation(label, what);
  return new AssayError('MCP_UNSUPPORTED', `The MCP server "${label}" ${what}: not supported by this Assay.`);
}

function isNewer(version: unknown): boolean {
  return typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version > protocolVersions[0];
}

function violation(label: string, what: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" ${what}.`);
}
