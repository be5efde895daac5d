import type { EmitTrace, TraceEventOf } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { SessionLease, ToolDefinition } from '../../../mcp/session.ts';

type ToldTool = TraceEventOf<'mcp-server'>['tools'][number];

/** Tells which server is talked to, and what it says that its tools are. */
export function announceServer(
  { session, pins }: Pick<SessionLease, 'session' | 'pins'>,
  definitions: readonly ToolDefinition[],
  isTested: (tool: string) => boolean,
  emit: EmitTrace,
): void {
  const { label, name, version, protocolVersion, transport } = session.facts;
  const byName = new Map(definitions.map((tool) => [tool.name, tool]));
  const tools = Object.entries(pins).map(([tool, sha256]): ToldTool => {
    const definition = byName.get(tool);
    return {
      name: tool,
      sha256,
      ...(definition && { arguments: argumentsOf(definition) }),
      ...(definition?.outputSchema && isTested(tool) && { outputSchema: definition.outputSchema }),
    };
  });
  emit({ type: 'mcp-server', label, name, version, protocolVersion, transport, tools });
}

function argumentsOf({ inputSchema }: ToolDefinition): string[] {
  return isRecord(inputSchema) && isRecord(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
}
