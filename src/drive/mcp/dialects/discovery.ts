import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import {
  commonVersion,
  legacyVersions,
  metaKeys,
  metaOf,
  modernVersions,
  otherVersion,
  versionsText,
} from '../protocol-versions.ts';
import type { McpAnswer } from '../session.ts';
import type { Greeting } from './dialect.ts';

/** Errors by which a server of the modern era is known. */
export const headerMismatch = -32_020;
const missingCapability = -32_021;
const unsupportedVersion = -32_022;

/** The answer of a server to the question which versions it has. */
type Discovery =
  | { readonly era: 'modern'; readonly greeting: Greeting }
  /** It is spoken to with a handshake; `why` is how it answered, as the end of a sentence. */
  | { readonly era: 'legacy'; readonly why: string };

/** Reads the answer to `server/discover`; throws for a server that has no version of ours, or breaks the protocol. */
export function discoveryFrom(label: string, answer: McpAnswer): Discovery {
  if (answer.kind === 'error') return discoveryFromError(label, answer);
  const { supportedVersions, capabilities, instructions } = answer.result;
  if (!Array.isArray(supportedVersions)) return { era: 'legacy', why: 'without `supportedVersions`' };
  const protocolVersion = commonVersion(modernVersions, supportedVersions);
  if (protocolVersion === undefined) return olderOrOther(label, supportedVersions);
  if (!isRecord(capabilities)) {
    const message = `The MCP server "${label}" answered server/discover without \`capabilities\`.`;
    throw new AssayError('MCP_PROTOCOL_VIOLATED', message);
  }
  const named = metaOf(answer.result)[metaKeys.serverInfo];
  const info = isRecord(named) ? named : {};
  const greeting = {
    name: typeof info.name === 'string' ? printable(info.name) : 'unnamed',
    version: typeof info.version === 'string' ? printable(info.version) : '',
    protocolVersion,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
  return { era: 'modern', greeting };
}

function discoveryFromError(label: string, answer: Extract<McpAnswer, { kind: 'error' }>): Discovery {
  const { code, data } = answer;
  const text = `${printable(answer.message)} (${code})`;
  const supported = code === unsupportedVersion && isRecord(data) ? data.supported : undefined;
  if (Array.isArray(supported)) {
    const version = commonVersion(modernVersions, supported);
    if (version === undefined) return olderOrOther(label, supported);
    const message = `The MCP server "${label}" refused version ${version}, which it says it supports: ${text}.`;
    throw new AssayError('MCP_PROTOCOL_VIOLATED', message);
  }
  if (code !== headerMismatch && code !== missingCapability && code !== unsupportedVersion)
    return { era: 'legacy', why: `with the error ${text}` };
  throw new AssayError('MCP_SERVER_NOT_STARTED', `The MCP server "${label}" refused server/discover: ${text}.`);
}

function olderOrOther(label: string, versions: readonly unknown[]): Discovery {
  if (commonVersion(legacyVersions, versions) === undefined)
    throw otherVersion(label, versions, versionsText(versions));
  return { era: 'legacy', why: `with ${versionsText(versions.map((version) => printable(String(version))))}` };
}
