import * as z from 'zod';
import { type Report, reportSchema } from '../../domain/capability.ts';
import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import type { Message } from '../../domain/message.ts';
import type {
  Connector,
  ConnectorKind,
  ConnectorRequest,
  ConnectorResponse,
  ConnectorSettings,
} from '../../drive/connectors/connector.ts';
import { ConversationMemory } from '../../drive/connectors/wire/conversation-memory.ts';
import { readMessage } from '../../drive/connectors/wire/messages.ts';
import { mergedHeaders } from '../../drive/connectors/wire/url-and-headers.ts';
import { reportedUsage } from '../../drive/wire/reported-usage.ts';
import { untilAborted } from '../../shared/async.ts';
import { isRecord } from '../../shared/json.ts';
import type { ConnectorPlugin, ConnectorTest, InvokedConnectorPlugin } from './connector-plugin.ts';
import { foreignError, messageOf, withinTimeLimit } from './foreign-calls.ts';
import { type ConfigSchema, checkedConfig } from './plugin-config.ts';

const hint = 'Return `{ messages: [{ role: "assistant", content: "…" }] }`, or the text itself.';

/** A plug-in connector's result as a connector response; throws when it holds no answer. */
function connectorAnswer(given: unknown, request: ConnectorRequest, measuredMs: number): ConnectorResponse {
  const answer = typeof given === 'string' ? { messages: [{ role: 'assistant', content: given }] } : given;
  if (!isRecord(answer)) throw noAnswer('it did not return an object');
  if (answer.success === false) {
    const reason =
      typeof answer.error === 'string' && answer.error !== ''
        ? answer.error
        : 'The connector reported a failure without a reason.';
    throw new AssayError('TARGET_CRASHED', reason);
  }
  const { rawResponse, raw } = answer;
  const gaps: Loss[] = [];
  const messages = newMessages(answer.messages, request.messages, gaps);
  const figures = reportedUsage(answer);
  gaps.push(...(figures.gaps ?? []));
  return {
    messages,
    latencyMs: figure(answer.latencyMs) ?? measuredMs,
    ...present({
      timeToFirstTokenMs: figure(answer.timeToFirstTokenMs),
      costUsd: figure(answer.costUsd),
      model: text(answer.model),
      threadId: text(answer.threadId),
      usage: figures.usage,
      gaps: gaps.length > 0 ? gaps : undefined,
      reports: z.array(reportSchema).safeParse(answer.reports).data,
    }),
    ...(isRecord(raw) && { raw: { request: raw.request, response: raw.response } }),
    ...(rawResponse !== undefined && { raw: { request: undefined, response: rawResponse } }),
  };
}

/** Some return the whole conversation, and some echo the user's message; only the agent's messages count. */
function newMessages(given: unknown, sent: readonly Message[], gaps: Loss[]): Message[] {
  if (!Array.isArray(given)) throw noAnswer('`messages` is not a list');
  const messages = given.map((message, index) => checkedMessage(message, index, gaps));
  const isEcho = messages.length > sent.length && sent.every((message, index) => isSame(message, messages[index]));
  const added = (isEcho ? messages.slice(sent.length) : messages).filter(
    ({ role }) => role === 'assistant' || role === 'tool',
  );
  if (added.length === 0) throw noAnswer('`messages` has no message of the assistant');
  return added;
}

function checkedMessage(given: unknown, index: number, gaps: Loss[]): Message {
  const hasContent = isRecord(given) && (given.content !== undefined || given.tool_calls !== undefined);
  const message = hasContent ? readMessage(given, gaps, `messages[${index}]`) : undefined;
  if (!message) throw noAnswer(`\`messages[${index}]\` has neither \`content\` nor \`tool_calls\``);
  return message;
}

function isSame(one: Message, other: Message | undefined): boolean {
  return one.role === other?.role && JSON.stringify(one.content) === JSON.stringify(other.content);
}

function figure(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

function noAnswer(reason: string): AssayError {
  return new AssayError('TARGET_OUTPUT_NOT_JSON', `The connector returned no usable answer: ${reason}.`, { hint });
}

/** A kind of connector that may also be able to test its endpoint. */
export interface PluginConnectorKind extends ConnectorKind {
  test?(config: unknown, settings: ConnectorSettings, signal: AbortSignal): Promise<ConnectorTest>;
}

const testLimitMs = 30_000;

/** Each answer of a plug-in says itself what it reports. */
const reportedByAnswers: readonly Report[] = [];

/** Turns the connector of a plug-in into a kind of connector. */
export function adaptConnector(plugin: ConnectorPlugin): PluginConnectorKind {
  const { schema, read } = checkedConfig(plugin.configSchema);
  const { type, label } = plugin;
  if ('open' in plugin) {
    return {
      ...{ type, label, summary: plugin.summary, configSchema: schema, reports: reportedByAnswers },
      ...(plugin.check && { check: (config, context) => plugin.check?.(read(config) as never, context) ?? [] }),
      async open(config, settings, context) {
        const opened = await plugin.open(read(config) as never, settings, context);
        return guarded(
          type,
          (request) => opened.invoke(request),
          () => opened[Symbol.asyncDispose]?.(),
        );
      },
    };
  }
  return {
    ...{ type, label, summary: plugin.description ?? label, configSchema: schema, reports: reportedByAnswers },
    open: async (config, settings) => invoking(plugin, read(config), settings),
    ...(plugin.test && { test: (config, settings, signal) => test(plugin, read(config), settings, signal) }),
  };
}

type Invoked = InvokedConnectorPlugin<ConfigSchema>;

function invoking(plugin: Invoked, config: unknown, { baseUrl, headers }: ConnectorSettings): Connector {
  const threads = new ConversationMemory<string>();
  return guarded(plugin.type, async (request) => {
    const { conversationId, seenCount, turn, model, signal } = request;
    const messages = structuredClone([...request.messages]);
    const answer: unknown = await plugin.invoke({
      ...{ messages, newMessages: messages.slice(seenCount), conversationId, turn, model, signal, baseUrl },
      config: config as never,
      headers: mergedHeaders(headers, request.headers),
      threadId: threads.get(conversationId),
    });
    const { threadId } = Object(answer) as { readonly threadId?: unknown };
    if (typeof threadId === 'string') threads.set(conversationId, threadId);
    return answer;
  });
}

/** A connector whose answers are checked and whose errors are Assay errors. */
function guarded(
  type: string,
  invoke: (request: ConnectorRequest) => Promise<unknown>,
  dispose?: () => unknown,
): Connector {
  return {
    async invoke(request): Promise<ConnectorResponse> {
      const began = performance.now();
      try {
        const given = await untilAborted((async () => invoke(request))(), request.signal);
        return connectorAnswer(given, request, Math.round((performance.now() - began) * 100) / 100);
      } catch (thrown) {
        if (request.signal.aborted) throw thrown;
        throw connectorError(thrown, type);
      }
    },
    async [Symbol.asyncDispose]() {
      await dispose?.();
    },
  };
}

async function test(
  plugin: Invoked,
  config: unknown,
  { baseUrl, headers }: ConnectorSettings,
  signal: AbortSignal,
): Promise<ConnectorTest> {
  const began = performance.now();
  const ended = (success: boolean, error?: string): ConnectorTest => {
    const latencyMs = Math.round(performance.now() - began);
    return error === undefined ? { success, latencyMs } : { success, latencyMs, error };
  };
  try {
    const tested = (async () => plugin.test?.({ config: config as never, baseUrl, headers, signal }))();
    const given = await withinTimeLimit(tested, testLimitMs, signal);
    const { success = given !== false, error } = Object(given) as { success?: unknown; error?: unknown };
    if (success === true && error === undefined) return ended(true);
    return ended(false, error === undefined ? 'the endpoint is not available' : messageOf(error));
  } catch (thrown) {
    return ended(false, messageOf(thrown));
  }
}

const unreachableCodes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  ...['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
]);

function connectorError(thrown: unknown, type: string): AssayError {
  return foreignError(thrown, errorCodeOf(thrown), `Connector "${type}": `);
}

function errorCodeOf(thrown: unknown): ErrorCode {
  const { name, code, cause } = Object(thrown) as { name?: unknown; code?: unknown; cause?: { code?: unknown } | null };
  if (unreachableCodes.has(code) || unreachableCodes.has(cause?.code)) return 'TARGET_UNREACHABLE';
  return name === 'TimeoutError' ? 'TARGET_TIMEOUT' : 'TARGET_CRASHED';
}
