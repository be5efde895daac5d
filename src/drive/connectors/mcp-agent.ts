import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import { meaningOfResult, textOfResult } from '../../domain/tools/tool-meaning.ts';
import { suggestion } from '../../shared/suggest.ts';
import { isHttpServer, type ServerDefinition, serverDefinitionSchema, serverLabel } from '../mcp/server-definition.ts';
import type { McpAnswer } from '../mcp/session.ts';
import type { TargetContext } from '../targets/target.ts';
import { reportedUsage } from '../wire/reported-usage.ts';
import { recordIn, someText } from '../wire/values.ts';
import {
  type Connector,
  type ConnectorRequest,
  type ConnectorResponse,
  type ConnectorSettings,
  defineConnector,
} from './connector.ts';
import { excerptOf, traceText } from './wire/answer.ts';
import { ConversationMemory } from './wire/conversation-memory.ts';
import { detectMessages } from './wire/detect-messages.ts';
import { fillPlaceholders, placeholders, placeholderValues, refuseUnknown } from './wire/placeholders.ts';
import { RequestHeaders } from './wire/url-and-headers.ts';

const configSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema()
      .optional()
      .describe('how the MCP server is started or reached; without it, `baseUrl` is used over streamable HTTP'),
    tool: z.string().min(1).describe('the tool that passes a message to the agent'),
    arguments: z
      .record(z.string(), z.unknown())
      .default({ message: '{{message}}' })
      .superRefine(refuseUnknown)
      .describe(`arguments of the call, any JSON with ${placeholders}`),
    timeoutMs: z.int().min(1).default(120_000).describe('time limit of one answer'),
  });

type McpAgentConfig = z.output<ReturnType<typeof configSchema>>;

export const mcpAgentConnector = defineConnector({
  type: 'mcp-agent',
  label: 'Agent behind an MCP tool',
  summary: 'an agent behind a tool of an MCP server',
  reports: ['latency'],
  configSchema,
  async open(config, settings, context) {
    return openMcpAgent(config, settings, context);
  },
});

/** Talks to the agent through the run's session with its server. */
async function openMcpAgent(
  config: McpAgentConfig,
  settings: ConnectorSettings,
  { directory, env, mcpSessions, signal }: TargetContext,
): Promise<Connector> {
  const server = serverOf(config, settings);
  if (!mcpSessions) throw new AssayError('INTERNAL', 'The MCP sessions of the run are missing.');
  const limits = { timeoutMs: config.timeoutMs, signal };
  const lease = await (await mcpSessions()).lease(server, { directory, env, ...limits });
  const { redact } = new RequestHeaders(settings.headers).forPersona({});
  const threads = new ConversationMemory<string>();
  const name = `${config.tool} of ${serverLabel(server)}`;
  const tools = await lease.session.listTools(limits);
  if (!tools.some((tool) => tool.name === config.tool)) throw unknownTool(config.tool, tools, server);
  return {
    async invoke(request) {
      const args = fillPlaceholders(config.arguments, placeholderValues(request, threads.get(request.conversationId)));
      const session = lease.session.broken ? await lease.reopen(limits) : lease.session;
      const options = { timeoutMs: config.timeoutMs, signal: request.signal };
      const answer = await session.callTool(config.tool, recordIn(args), options);
      const response = readAnswer(
        answer,
        request,
        (problem) => new AssayError('TARGET_CRASHED', `${name} ${redact(problem)}`),
      );
      if (response.threadId !== undefined) threads.set(request.conversationId, response.threadId);
      const body = answer.kind === 'result' ? answer.result : { error: answer.message };
      const raw = {
        request: { tool: config.tool, arguments: traceText(JSON.stringify(args), redact) },
        response: { body: traceText(JSON.stringify(body), redact) },
      };
      return { ...response, latencyMs: answer.latencyMs, raw };
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}

function serverOf({ server }: McpAgentConfig, { baseUrl, headers }: ConnectorSettings): ServerDefinition {
  if (server) return isHttpServer(server) ? { ...server, headers: { ...server.headers, ...headers } } : server;
  if (baseUrl !== undefined) return { transport: 'shttp', url: baseUrl, headers };
  throw new AssayError('TARGET_NOT_LOADED', 'The mcp-agent connector has no MCP server.', {
    hint: 'Set `baseUrl` of the connector, or `server` in its config.',
  });
}

function unknownTool(tool: string, tools: readonly { readonly name: string }[], server: ServerDefinition): AssayError {
  const hint = suggestion(
    tool,
    tools.map(({ name }) => name),
  );
  return new AssayError('TARGET_NOT_LOADED', `${serverLabel(server)} has no tool "${tool}".`, { hint });
}

type Read = Omit<ConnectorResponse, 'latencyMs' | 'raw'>;

function readAnswer(answer: McpAnswer, request: ConnectorRequest, fail: (problem: string) => AssayError): Read {
  if (answer.kind === 'error') throw fail(`answered with error ${answer.code}: ${answer.message}`);
  const { result } = answer;
  const meaning = meaningOfResult(result);
  const text = textOfResult(result) ?? JSON.stringify(meaning);
  if (result.isError === true) throw fail(`failed: ${excerptOf(text, (same) => same)}`);
  const gaps: Loss[] = [];
  // An agent may answer with data that is not a message.
  const messages = detectMessages(meaning, request.messages, gaps) ?? [{ role: 'assistant', content: text }];
  const document = recordIn(meaning);
  const thread = someText(document.threadId, document.thread_id);
  const figures = reportedUsage(document);
  return {
    messages,
    usage: figures.usage,
    gaps: [...gaps, ...(figures.gaps ?? [])],
    ...(thread !== undefined && { threadId: thread }),
  };
}
