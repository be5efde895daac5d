import { isRecord } from '../../shared/json.ts';

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
