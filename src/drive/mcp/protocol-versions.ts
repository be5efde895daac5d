import { AssayError } from '../../domain/errors.ts';
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
