import { AssayError } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import { meaningOfResult, textOfResult } from '../../../domain/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { nearestName } from '../../../shared/suggest.ts';
import { type ServerDefinition, serverLabel } from '../../mcp/server-definition.ts';
import type { McpAnswer } from '../../mcp/session.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorResponse, ConnectorSettings } from '../connector.ts';
import { detectMessages } from '../http/detect-messages.ts';
import { compileTemplate } from '../http/placeholders.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { SentHeaders } from '../wire/sent-headers.ts';
import { excerptOf, keptText } from '../wire/shown-text.ts';
import { usageIn } from '../wire/token-usage.ts';
import type { McpAgentConfig } from './mcp-agent-connector.ts';

/** Speaks to the agent through the session that the run has with its server. */
export async function openMcpAgent(
  config: McpAgentConfig,
  settings: ConnectorSettings,
  { directory, env, mcpSessions, signal }: TargetContext,
): Promise<Connector> {
  const server = serverOf(config, settings);
  if (!mcpSessions) throw new AssayError('INTERNAL', 'No MCP server can be reached here.');
  const limits = { timeoutMs: config.timeoutMs, signal };
  const lease = await (await mcpSessions()).lease(server, { directory, env, ...limits });
  const { redact } = new SentHeaders(settings.headers).sentBy({});
  const fill = compileTemplate(config.arguments);
  const threads = new ConversationMemory<string>();
  const name = `${config.tool} of ${serverLabel(server)}`;
  const tools = await lease.session.listTools(limits);
  if (!tools.some((tool) => tool.name === config.tool)) throw unknownTool(config.tool, tools, server);
  return {
    async invoke(request) {
      const args = fill(valuesOf(request, threads.get(request.conversationId)));
      const session = lease.session.broken ? await lease.reopen(limits) : lease.session;
      const options = { timeoutMs: config.timeoutMs, signal: request.signal };
      const answer = await session.callTool(config.tool, isRecord(args) ? args : {}, options);
      const response = readAnswer(
        answer,
        request,
        (problem) => new AssayError('TARGET_CRASHED', `${name} ${redact(problem)}`),
      );
      if (response.threadId !== undefined) threads.set(request.conversationId, response.threadId);
      const body = answer.kind === 'result' ? answer.result : { error: answer.message };
      const raw = {
        request: { tool: config.tool, arguments: keptText(JSON.stringify(args), redact) },
        response: { body: keptText(JSON.stringify(body), redact) },
      };
      return { ...response, latencyMs: answer.latencyMs, raw };
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}

function serverOf({ server }: McpAgentConfig, { baseUrl, headers }: ConnectorSettings): ServerDefinition {
  if (server) return server.transport === 'stdio' ? server : { ...server, headers: { ...server.headers, ...headers } };
  if (baseUrl !== undefined) return { transport: 'shttp', url: baseUrl, headers };
  throw new AssayError('TARGET_NOT_LOADED', 'The connector names no MCP server.', {
    hint: 'Give it a `baseUrl`, or a `server` in its config.',
  });
}

function unknownTool(tool: string, tools: readonly { readonly name: string }[], server: ServerDefinition): AssayError {
  const names = tools.map(({ name }) => name);
  const nearest = nearestName(tool, names);
  const hint = nearest === undefined ? `It has ${names.join(', ') || 'no tools'}.` : `Did you mean \`${nearest}\`?`;
  return new AssayError('TARGET_NOT_LOADED', `${serverLabel(server)} has no tool \`${tool}\`.`, { hint });
}

function valuesOf({ messages, conversationId, turn, model }: ConnectorRequest, threadId: string | undefined) {
  const last = messages.at(-1)?.content;
  return {
    messages,
    message: typeof last === 'string' ? last : JSON.stringify(last),
    conversationId,
    turn,
    model,
    threadId,
  };
}

type Read = Omit<ConnectorResponse, 'latencyMs' | 'raw'>;

function readAnswer(answer: McpAnswer, request: ConnectorRequest, fail: (problem: string) => AssayError): Read {
  if (answer.kind === 'error') throw fail(`answered with error ${answer.code}: ${answer.message}`);
  const { result } = answer;
  const meaning = meaningOfResult(result);
  const text = textOfResult(result) ?? JSON.stringify(meaning);
  if (result.isError === true) throw fail(`failed: ${excerptOf(text, (same) => same)}`);
  const messages = detectMessages(meaning, request.messages) ?? spoken(text);
  const document = isRecord(meaning) ? meaning : {};
  const { threadId, thread_id } = document;
  const thread = [threadId, thread_id].find((id) => typeof id === 'string');
  const tokenUsage = usageIn(document);
  return {
    messages,
    ...(tokenUsage && { tokenUsage }),
    ...(typeof thread === 'string' && { threadId: thread }),
  };
}

/** An agent may answer with data that is no message: then what it says is the text of it. */
function spoken(text: string): Message[] {
  return [{ role: 'assistant', content: text }];
}
