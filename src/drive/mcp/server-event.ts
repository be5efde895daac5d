import type { UnstampedEvent } from '../../domain/trace.ts';
import type { SessionLease, ToolDefinition } from './session.ts';
import { pinTools } from './tool-pins.ts';

/** The event that says which server a trial met, with a fingerprint of each tool that it has. */
export function serverEvent(
  { session: { facts }, isChangeAnnounced }: Pick<SessionLease, 'session' | 'isChangeAnnounced'>,
  definitions: readonly ToolDefinition[],
): Extract<UnstampedEvent, { type: 'mcp-server' }> {
  const { label, name, version, protocolVersion, transport } = facts;
  const tools = Object.entries(pinTools(definitions)).map(([tool, sha256]) => ({ name: tool, sha256 }));
  const announced = isChangeAnnounced ? { isAnnounced: true as const } : {};
  return { type: 'mcp-server', label, name, version, protocolVersion, transport, ...announced, tools };
}
