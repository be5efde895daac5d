import type { TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import type { SessionLease, ToolDefinition } from './session.ts';
import { pinTools } from './tool-pins.ts';

type ReportedTool = TraceEventOf<'mcp-server'>['tools'][number];

/** Facts about each tool that the event gives beside its fingerprint. */
interface ToolDetails {
  /** Tools whose results are compared with their output schemas. */
  readonly isTested: (tool: string) => boolean;
  /** Whether whole definitions are kept, where few trials do so. */
  readonly keepsDefinitions?: boolean;
}

/** The event that says which server a trial met, with a fingerprint of each tool that it has. */
export function serverEvent(
  { session: { facts }, isChangeAnnounced }: Pick<SessionLease, 'session' | 'isChangeAnnounced'>,
  definitions: readonly ToolDefinition[],
  details?: ToolDetails,
): Extract<UnstampedEvent, { type: 'mcp-server' }> {
  const { label, name, version, protocolVersion, transport } = facts;
  const byName = new Map(definitions.map((tool) => [tool.name, tool]));
  const tools = Object.entries(pinTools(definitions)).map(([tool, sha256]): ReportedTool => {
    const definition = details && byName.get(tool);
    return { name: tool, sha256, ...(definition && detailsOf(definition, details)) };
  });
  const announced = isChangeAnnounced ? { isAnnounced: true as const } : {};
  return { type: 'mcp-server', label, name, version, protocolVersion, transport, ...announced, tools };
}

function detailsOf(definition: ToolDefinition, { isTested, keepsDefinitions = false }: ToolDetails) {
  const { name, inputSchema, outputSchema } = definition;
  const properties = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
  return {
    arguments: Object.keys(properties),
    ...(outputSchema && isTested(name) && { outputSchema }),
    ...(keepsDefinitions && { definition }),
  };
}
