import { AssayError } from '../../domain/errors.ts';
import { printable } from '../../shared/text.ts';

/** Versions that begin with a handshake; the first is requested. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** A server is at fault for a version that never was, not for one that is newer than this program. */
export function otherVersion(label: string, versions: readonly unknown[], theirs: string): AssayError {
  const what = `uses ${printable(theirs)} of the protocol; Assay supports ${legacyVersions.join(', ')}`;
  if (!versions.some(isNewer)) return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" ${what}.`);
  return new AssayError(
    'MCP_UNSUPPORTED',
    `The MCP server "${label}" ${what}, so this version of Assay cannot test it.`,
  );
}

function isNewer(version: unknown): boolean {
  return typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version > legacyVersions[0];
}
