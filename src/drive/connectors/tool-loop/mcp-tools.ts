import { AssayError } from '../../../domain/errors.ts';
import { meaningOfResult, textOfResult } from '../../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { type ServerDefinition, serverLabel } from '../../mcp/server-definition.ts';
import type { McpAnswer, SessionLease, ToolDefinition } from '../../mcp/session.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { OpenTools, RunnableTool, ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** The tools of an MCP server, through the run's session with it. */
export async function openServerTools(
  server: ServerDefinition,
  { only }: ToolConfig,
  timeoutMs: number,
  { directory, env, mcpSessions, signal }: TargetContext,
): Promise<OpenTools> {
  if (!mcpSessions) throw new AssayError('INTERNAL', 'The MCP sessions of the run are missing.');
  const limits = { timeoutMs, signal };
  const lease = await (await mcpSessions()).lease(server, { directory, env, ...limits });
  const listed = await lease.session.listTools(limits);
  const label = serverLabel(server);
  const serverTitle = lease.session.facts.name;
  for (const name of only ?? []) if (!listed.some((tool) => tool.name === name)) throw unknownTool(name, listed, label);
  const chosen = only ? listed.filter(({ name }) => only.includes(name)) : listed;
  const toRunnable = ({ name, description = '', inputSchema }: ToolDefinition): RunnableTool => ({
    ...{ name, description, inputSchema, kind: 'mcp', server: label, serverTitle },
    run: (input, callSignal) => callTool(lease, name, input, { timeoutMs, signal: callSignal }),
  });
  return { tools: chosen.map(toRunnable), [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose]() };
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

function answerOf(answer: McpAnswer): ToolAnswer {
  if (answer.kind === 'error') return { error: { message: answer.message, code: answer.code } };
  const { result } = answer;
  const meaning = meaningOfResult(result);
  if (result.isError !== true) return { result: meaning };
  return { error: { message: textOfResult(result) ?? JSON.stringify(meaning) } };
}

function unknownTool(name: string, tools: readonly ToolDefinition[], label: string): AssayError {
  const names = tools.map((tool) => tool.name);
  return new AssayError('TARGET_NOT_LOADED', `${label} has no tool "${name}".`, { hint: suggestion(name, names) });
}
