import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { LoginRelays } from '../../mcp/proxy/login-relays.ts';
import type { McpRecording, RecordingRequest } from '../../mcp/proxy/open-recording.ts';
import { isHttpServer } from '../../mcp/server-definition.ts';
import type { TargetContext } from '../target.ts';
import type { TaskConfig } from './task-config.ts';

/** Puts proxies in front of the MCP servers of a task; undefined where it has none. */
export async function recordServers(
  { mcpServers, services = [] }: TaskConfig,
  request: Omit<RecordingRequest, 'servers' | 'relays'>,
  context: Pick<TargetContext, 'env' | 'mcpSessions'>,
): Promise<McpRecording | undefined> {
  if (Object.keys(mcpServers).length === 0) return undefined;
  // Most tasks have no servers, and then none of this need be loaded.
  const { openRecording } = await import('../../mcp/proxy/open-recording.ts');
  // A recording answers in place of the servers, so no login is needed.
  const isReplayed = request.tape !== undefined && request.tape.kind !== 'record';
  // Services of the task cannot be reached from here.
  const others = Object.entries(mcpServers).filter(([, server]) => !isOneOf(services, server));
  const relays = isReplayed ? undefined : await openRelays(Object.fromEntries(others), context);
  const recording = openRecording({ ...request, servers: { ...mcpServers, ...relays?.servers }, relays });
  await recording.open();
  return recording;
}

function isOneOf(
  services: NonNullable<TaskConfig['services']>,
  { definition }: TaskConfig['mcpServers'][string],
): boolean {
  if (!isHttpServer(definition) || !URL.canParse(definition.url)) return false;
  const { hostname } = new URL(definition.url);
  return services.some(({ name }) => name === hostname);
}

/** Logins stay with Assay: the agent and its proxies reach such servers through a relay. */
async function openRelays(
  servers: TaskConfig['mcpServers'],
  { env, mcpSessions }: Pick<TargetContext, 'env' | 'mcpSessions'>,
): Promise<LoginRelays | undefined> {
  if (!Object.values(servers).some(({ definition }) => isHttpServer(definition))) return undefined;
  const authorizations = (await mcpSessions?.())?.authorizations;
  if (!authorizations) return undefined;
  const { LoginRelays } = await import('../../mcp/proxy/login-relays.ts');
  return LoginRelays.open(servers, { authorizations, env });
}

/** Errors that keep every trial from being judged: its tools were others than the scenario means. */
const alwaysDecisive: ReadonlySet<ErrorCode> = new Set([
  // A subset names a tool that its server does not have.
  'FILE_INVALID',
  'MCP_TOOLS_CHANGED',
  'MOCK_UNUSABLE',
  'FAULT_UNUSABLE',
  'ATTACK_UNUSABLE',
  'TOOL_REPLAY_MISS',
]);

/** Emits the mistakes of the servers; returns the error that keeps the trial from being judged. */
export async function concludeServers(
  recording: McpRecording,
  { judgesServers }: TaskConfig,
  emit: EmitTrace,
  agentFailed: boolean,
): Promise<AssayError | undefined> {
  await recording.settle();
  recording.finish();
  for (const message of recording.problems) emit({ type: 'notice', seenBy: 'recorder', message });
  for (const reason of recording.gaps)
    emit({ type: 'gap', seenBy: 'recorder', channels: ['tool-calls', 'tool-results'], reason });
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
