import { AssayError } from '../../../domain/errors.ts';
import { meaningOfResult, textOfResult } from '../../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { type ServerDefinition, serverLabel } from '../../mcp/server-definition.ts';
import { serverEvent } from '../../mcp/server-event.ts';
import type { McpAnswer, McpRequestOptions, SessionLease, ToolDefinition } from '../../mcp/session.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { OfferedTools, OpenTools, RunnableTool, ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** The tools of an MCP server, through the run's session with it. */
export async function openServerTools(
  server: ServerDefinition,
  { only }: ToolConfig,
  timeoutMs: number,
  { directory, env, mcpSessions, signal }: TargetContext,
): Promise<OpenTools> {
  if (!mcpSessions) throw new AssayError('INTERNAL', 'The MCP sessions of the run are missing.');
  const sessions = await mcpSessions();
  const open = (limits: McpRequestOptions): Promise<SessionLease> =>
    sessions.lease(server, { directory, env, ...limits });
  const toRunnable = (lease: SessionLease, listed: readonly ToolDefinition[]): RunnableTool[] => {
    const label = serverLabel(server);
    for (const name of only ?? [])
      if (!listed.some((tool) => tool.name === name)) throw unknownTool(name, listed, label);
    const chosen = only ? listed.filter(({ name }) => only.includes(name)) : listed;
    const serverTitle = lease.session.facts.name;
    return chosen.map(({ name, description = '', inputSchema, annotations }) => ({
      ...{ name, description, inputSchema, annotations, kind: 'mcp', server: label, serverTitle },
      run: (input, callSignal) => callTool(lease, name, input, { timeoutMs, signal: callSignal }),
    }));
  };
  const offer = (lease: SessionLease, listed: readonly ToolDefinition[]): OfferedTools => ({
    tools: toRunnable(lease, listed),
    server: serverEvent(lease, listed),
    async next(turnSignal) {
      const limits = { timeoutMs, signal: turnSignal };
      if (lease.session.broken) await lease.reopen(limits);
      const accepted = await lease.assertPinned(limits);
      return accepted.length === 0 ? undefined : offer(lease, await lease.session.listTools(limits));
    },
  });
  const limits = { timeoutMs, signal };
  const lease = await open(limits);
  return {
    tools: toRunnable(lease, await lease.session.listTools(limits)),
    async begin(turnSignal) {
      const ofConversation = await open({ timeoutMs, signal: turnSignal });
      const { tools } = await ofConversation.pinAgain({ timeoutMs, signal: turnSignal });
      return offer(ofConversation, tools);
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}

async function callTool(
  lease: SessionLease,
  name: string,
  input: unknown,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ToolAnswer> {
  if (!isRecord(input)) return { error: { message: 'The arguments are not a JSON object.' } };
  const session = lease.session.broken ? await lease.reopen(limits) : lease.session;
  return answerOf(await session.callTool(name, input, limits));
}

/** How a tool of a server answered, as the model is given it. */
export function answerOf(answer: McpAnswer): ToolAnswer {
  const by = answer.answeredBy && { answeredBy: answer.answeredBy };
  if (answer.kind === 'error') return { error: { message: answer.message, code: answer.code }, ...by };
  const { result } = answer;
  const meaning = meaningOfResult(result);
  if (result.isError !== true) return { result: meaning, ...by };
  return { error: { message: textOfResult(result) ?? JSON.stringify(meaning) }, ...by };
}

function unknownTool(name: string, tools: readonly ToolDefinition[], label: string): AssayError {
  const names = tools.map((tool) => tool.name);
  return new AssayError('TARGET_NOT_LOADED', `${label} has no tool "${name}".`, { hint: suggestion(name, names) });
}
