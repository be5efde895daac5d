import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { McpRecording, RecordingRequest } from '../../mcp/proxy/open-recording.ts';
import type { TaskConfig } from './task-config.ts';

/** Puts proxies in front of the MCP servers of a task; undefined where it has none. */
export async function recordServers(
  { mcpServers }: TaskConfig,
  request: Omit<RecordingRequest, 'servers'>,
): Promise<McpRecording | undefined> {
  if (Object.keys(mcpServers).length === 0) return undefined;
  // Most tasks have no servers, and then none of this need be loaded.
  const { openRecording } = await import('../../mcp/proxy/open-recording.ts');
  return openRecording({ ...request, servers: mcpServers });
}

/** Errors that keep every trial from being judged: its tools were others than the scenario means. */
const alwaysDecisive: ReadonlySet<ErrorCode> = new Set([
  'MCP_TOOLS_CHANGED',
  'MOCK_UNUSABLE',
  'FAULT_UNUSABLE',
  'ATTACK_UNUSABLE',
  'TOOL_REPLAY_MISS',
]);

/** Emits the mistakes of the servers; returns the error that keeps the trial from being judged. */
export function concludeServers(
  recording: McpRecording,
  { judgesServers }: TaskConfig,
  emit: EmitTrace,
  agentFailed: boolean,
): AssayError | undefined {
  recording.finish();
  for (const message of recording.problems) emit({ type: 'notice', seenBy: 'recorder', message });
  for (const message of recording.gaps)
    emit({ type: 'notice', seenBy: 'recorder', message, castsDoubtOn: 'mcp-calls' });
  const unused = recording.unused.map(
    (name) => new AssayError('AGENT_FAILED', `The agent never started the MCP server "${name}".`),
  );
  const faults = [...recording.faults, ...unused];
  // Work with other tools can be judged without the servers, unless their tools changed while the agent worked, or the
  // agent could not work without them.
  const decisive = faults.find(
    ({ code, blame }) => judgesServers || alwaysDecisive.has(code) || (agentFailed && blame === 'target'),
  );
  for (const { message } of faults.filter((fault) => fault !== decisive)) {
    emit({ type: 'notice', seenBy: 'recorder', message });
  }
  return decisive;
}
