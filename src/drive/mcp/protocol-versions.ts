import { AssayError } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { printable } from '../../shared/text.ts';

/** Versions that begin with a handshake; the first is requested. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** Versions in which every request stands for itself, the newest first. */
export const modernVersions = ['2026-07-28'] as const;

const supportedVersions: readonly string[] = [...modernVersions, ...legacyVersions];

/** The first of our versions that the server has too. */
export function commonVersion<Version extends string>(
  ours: readonly Version[],
  theirs: readonly unknown[],
): Version | undefined {
  return ours.find((version) => theirs.includes(version));
}

/** A server is at fault for a version that never was, not for one that is newer than this program. */
export function otherVersion(label: string, versions: readonly unknown[], theirs: string): AssayError {
  const what = `uses ${printable(theirs)} of the protocol`;
  const ours = supportedVersions.join(', ');
  if (versions.some(isNewer)) {
    const message = `The MCP server "${label}" ${what}, which is not supported by this Assay; it supports ${ours}.`;
    return new AssayError('MCP_VERSION_UNSUPPORTED', message);
  }
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" ${what}; Assay supports ${ours}.`);
}

/** A version of a server that has none of ours, as part of a sentence. */
export function versionsText(versions: readonly unknown[]): string {
  return `only version ${versions.length === 0 ? 'none' : versions.map(String).join(', ')}`;
}

function isNewer(version: unknown): boolean {
  if (typeof version !== 'string' || supportedVersions.includes(version)) return false;
  return /^draft/i.test(version) || (/^\d{4}-\d{2}-\d{2}$/.test(version) && version > legacyVersions[0]);
}

/** Keys of `_meta` in versions from 2026-07-28 on. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The `_meta` of parameters or of a result. */
export function metaOf(part: unknown): Readonly<Record<string, unknown>> {
  return isRecord(part) && isRecord(part._meta) ? part._meta : {};
}

/** Whether parameters are those of a request that stands for itself: it then names its version. */
export function isModernRequest(params: unknown): boolean {
  return metaOf(params)[metaKeys.version] !== undefined;
}

/** Notifications of changed lists: the capability that says that they come, and what `subscriptions/listen` calls them. */
export const listChanges = [
  { notification: 'notifications/tools/list_changed', capability: 'tools', key: 'toolsListChanged' },
  { notification: 'notifications/prompts/list_changed', capability: 'prompts', key: 'promptsListChanged' },
  { notification: 'notifications/resources/list_changed', capability: 'resources', key: 'resourcesListChanged' },
] as const;

/** Whether a server says that it reports changes of such a list. */
export function reportsChanges(capabilities: unknown, { capability }: (typeof listChanges)[number]): boolean {
  const offered = isRecord(capabilities) ? capabilities[capability] : undefined;
  return isRecord(offered) && offered.listChanged === true;
}

/** The capability of the client that each kind of input belongs to, which a server requests of it. */
export const inputCapabilities: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The requests whose result may be that the server needs input first. */
export const mayNeedInput: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);
