import { AssayError } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import { assertMayReceive } from '../../../shared/project-trust.ts';
import type { Account } from '../../models/account.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Codec, ReplyStream, WireReply, WireRequest } from '../../wire/codec.ts';
import { endless } from '../../wire/finish.ts';
import { errorTextIn } from '../../wire/values.ts';
import type { Connector, ConnectorRequest, ConnectorResponse, ConnectorSettings } from '../connector.ts';
import type { ProviderApi, ProviderConfig } from '../providers.ts';
import { documentOf, type EndpointAnswer, readSafely } from './answer.ts';
import { ConversationMemory } from './conversation-memory.ts';
import { Endpoint } from './endpoint.ts';
import { mayHaveCost } from './endpoint-errors.ts';
import { mergeNeighbours, withToolResults } from './messages.ts';
import { endpointUrl, mergedHeaders, requireHttpUrl } from './url-and-headers.ts';
import { messagesOf, wireMessages, wireTools, withoutFileData } from './wire-messages.ts';

/** A connector to a provider's API. */
export function openProviderConnector(
  api: ProviderApi,
  config: ProviderConfig,
  settings: ConnectorSettings,
  context: Pick<TargetContext, 'env' | 'account' | 'paces'>,
): Connector {
  const { account: accounts } = context;
  const { codec, provider } = api;
  const endpoint = resolveProvider(api, config, settings, context);
  const limit = api.outputLimit(endpoint.isProvider);
  const threads = new ConversationMemory<string>();
  // A response that is not stored cannot be referred to.
  const isKept = api.keepsConversation && config.body.store !== false;
  const bodyOf = (request: ConnectorRequest, model: string): Readonly<Record<string, unknown>> => {
    const previousId = isKept ? threads.get(request.conversationId) : undefined;
    const unseen = previousId === undefined ? withToolResults(request.messages) : unseenMessages(request);
    const messages = api.mergesMessages ? mergeNeighbours(unseen) : unseen;
    return {
      ...codec.writeRequest(requestOf({ ...request, messages }, model, config)),
      ...(config.maxTokens !== undefined && { [limit]: config.maxTokens }),
      ...(previousId !== undefined && { previous_response_id: previousId }),
      ...config.body,
    };
  };
  return {
    isPaidThroughAccount: true,
    async invoke(request) {
      const account = await accounts?.open();
      const model = endpoint.modelOf(request);
      const body = limitedBody(bodyOf(request, model), limit, account);
      const stream = config.stream ? codec.openStream() : undefined;
      const send = async (): Promise<ConnectorResponse> => {
        const response = await exchange(endpoint, api, request, JSON.stringify(body), stream);
        if (response.threadId !== undefined) threads.set(request.conversationId, response.threadId);
        return response;
      };
      if (!account) return send();
      const paid = {
        provider: provider.name,
        model: model.replace(`${provider.name}/`, ''),
        // A provider that keeps the conversation reads more than it is sent.
        inputBytes: bytesOf(body) + bytesOf(request.messages) + fileBytes(request),
        maxOutputTokens: outputLimitIn(body),
      };
      const { answer, costUsd } = await account.pay(
        paid,
        { send, usageOf: ({ usage }: ConnectorResponse) => usage, mayBeBilled: mayHaveCost },
        request.signal,
      );
      return costUsd === null ? answer : { ...answer, costUsd };
    },
    [Symbol.asyncDispose]: () => endpoint.endpoint[Symbol.asyncDispose](),
  };
}

/** A turn as codecs write it; each API has its own name for the limit of its length. */
function requestOf(
  { messages, files, tools: runTools }: ConnectorRequest,
  model: string,
  { instructions, system, tools, temperature, stream }: ProviderConfig,
): WireRequest {
  return {
    model,
    system: instructions ?? system ?? '',
    messages: wireMessages(messages, files),
    tools: wireTools(tools, runTools),
    temperature,
    isStreaming: stream,
  };
}

/** The messages that the endpoint has not received yet, with a result for each call of its last answer. */
function unseenMessages({ messages, seenCount }: ConnectorRequest): Message[] {
  const lastUserMessage = messages.slice(0, seenCount).findLastIndex(({ role }) => role === 'user');
  const received = new Set(messages.slice(0, seenCount));
  return withToolResults(messages.slice(lastUserMessage + 1)).filter((message) => !received.has(message));
}

async function exchange(
  { endpoint, url }: ProviderEndpoint,
  { codec, textSeparator, keepsConversation }: ProviderApi,
  request: ConnectorRequest,
  body: string,
  stream: ReplyStream | undefined,
): Promise<ConnectorResponse> {
  const { headers, signal, clock } = request;
  const answer = await endpoint.send({
    url,
    method: 'POST',
    body,
    tracedBody: withoutFileData(body, request.files),
    headers,
    signal,
    clock,
    ...(stream && {
      readerFor: (type) => (/^text\/event-stream\b/i.test(type) ? { form: 'sse', reader: stream } : undefined),
    }),
  });
  const reply = readSafely(answer, () =>
    stream && answer.isStreamed ? streamedReply(answer, stream) : wholeReply(answer, codec),
  );
  const { latencyMs, timeToFirstTokenMs, raw } = answer;
  return {
    messages: messagesOf(reply, textSeparator),
    usage: reply.usage,
    gaps: reply.finish === undefined ? [...reply.unplaced, endless] : reply.unplaced,
    ...(reply.model !== undefined && { model: reply.model }),
    threadId: keepsConversation && reply.id,
    ...{ latencyMs, timeToFirstTokenMs, raw },
  };
}

/** Under a spending limit every answer needs a maximum length, so a request that sets none gets one. */
function limitedBody(
  body: Readonly<Record<string, unknown>>,
  outputLimit: string,
  account: Account | undefined,
): Readonly<Record<string, unknown>> {
  const limit = account?.outputTokensUnderLimit;
  return limit === undefined || outputLimitIn(body) !== undefined ? body : { ...body, [outputLimit]: limit };
}

const outputLimits = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** The most tokens that a request lets a model write, over all of its choices; undefined where it sets no limit. */
function outputLimitIn(body: Readonly<Record<string, unknown>>): number | undefined {
  const limit = outputLimits.map((name) => body[name]).find((value) => typeof value === 'number');
  const choices = typeof body.n === 'number' && body.n > 1 ? body.n : 1;
  return limit === undefined ? undefined : limit * choices;
}

/** Files of earlier turns are read again where the provider keeps the conversation; Base64 makes four bytes of three. */
function fileBytes({ files = [] }: ConnectorRequest): number {
  return files.reduce((sum, { bytes }) => sum + 4 * Math.ceil(bytes / 3), 0);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function streamedReply(answer: EndpointAnswer, stream: ReplyStream): WireReply {
  if (stream.problem !== undefined) {
    const hint = "Look into the agent's log to see why it failed.";
    return answer.fail('TARGET_CRASHED', `failed during its answer: ${stream.problem}`, hint);
  }
  const reply = stream.isEnded ? stream.reply() : undefined;
  if (reply) return reply;
  const hint = "Look into the endpoint's log to see why the stream ended.";
  return answer.fail('TARGET_CRASHED', 'ended its answer in the middle.', hint);
}

function wholeReply(answer: EndpointAnswer, codec: Codec): WireReply {
  const document = documentOf(answer);
  const reply = codec.readReply(document);
  return reply && reply.error === undefined ? reply : noAnswer(answer, document);
}

function noAnswer(answer: EndpointAnswer, document: unknown): never {
  const reported = errorTextIn(document);
  if (reported !== undefined) {
    return answer.fail(
      'TARGET_CRASHED',
      `answered with an error: ${reported}`,
      'Fix the problem that the agent reports.',
    );
  }
  const hint = 'Check that the endpoint speaks the API that the type of the connector names.';
  return answer.fail('TARGET_NO_MESSAGE', `answered with JSON that contains no message: ${answer.excerpt()}`, hint);
}

interface ProviderEndpoint {
  readonly endpoint: Endpoint;
  readonly url: URL;
  /** False for another server that offers the same API. */
  readonly isProvider: boolean;
  modelOf(request: Pick<ConnectorRequest, 'model'>): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes the base URL and the key from the settings, or else from the environment. */
function resolveProvider(
  api: ProviderApi,
  config: Pick<ProviderConfig, 'model'>,
  settings: ConnectorSettings,
  context: Pick<TargetContext, 'env' | 'paces'>,
): ProviderEndpoint {
  const { env } = context;
  const { baseUrlVariable = '', defaultBaseUrl = '', completeBaseUrl } = api.provider;
  const configured = settings.baseUrl ?? (env[baseUrlVariable]?.trim() || undefined);
  const hint = `Set \`baseUrl\` of the connector or ${baseUrlVariable} to an http or https URL, or leave both out.`;
  const expanded = expandSetting(`base URL of the ${api.type} connector`, configured ?? defaultBaseUrl, env);
  const baseUrl = requireHttpUrl(api.type, expanded, hint);
  const url = endpointUrl(completeBaseUrl(baseUrl, env), api.path);
  const isProvider = url.host === new URL(defaultBaseUrl).host;
  const isWritten = settings.baseUrl !== undefined && !settings.baseUrl.includes('${');
  if (isWritten && !isProvider && usualKey(api, settings, env) !== undefined)
    assertMayReceive(url.href, keyVariableOf(api));
  return {
    endpoint: new Endpoint(context, headersFor(api, settings, env, isProvider), [url.password]),
    url,
    isProvider,
    modelOf(request) {
      const model = request.model ?? config.model;
      if (model !== undefined) return isProvider ? withoutPrefix(model, api.provider.name) : model;
      throw new AssayError('TARGET_NOT_LOADED', `The ${api.type} connector has no model.`, {
        hint: 'Set `model` in the config of the connector, or list models for the scenario.',
      });
    },
  };
}

function headersFor(
  api: ProviderApi,
  settings: ConnectorSettings,
  env: Environment,
  isProvider: boolean,
): Record<string, string> {
  const configured = mergedHeaders(settings.headers);
  const isAuthenticated = hasOwnKey(api, settings);
  const key = usualKey(api, settings, env);
  if (isProvider && !isAuthenticated && key === undefined) {
    throw new AssayError(
      'TARGET_NOT_LOADED',
      `The ${api.type} connector needs ${keyVariableOf(api)}, which is not set.`,
      {
        hint: `Set ${keyVariableOf(api)} in the environment, or put the key into the headers of the connector.`,
      },
    );
  }
  const content = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return mergedHeaders(content, api.headers ?? {}, key === undefined ? {} : api.keyHeaders(key), configured);
}

function hasOwnKey({ authHeaders }: ProviderApi, settings: ConnectorSettings): boolean {
  const configured = mergedHeaders(settings.headers);
  return authHeaders.some((name) => configured[name] !== undefined);
}

function keyVariableOf({ provider }: ProviderApi): string {
  return provider.keyVariables[0] ?? '';
}

/** The key of the environment, where the headers bring none. */
function usualKey(api: ProviderApi, settings: ConnectorSettings, env: Environment): string | undefined {
  return hasOwnKey(api, settings) ? undefined : env[keyVariableOf(api)]?.trim() || undefined;
}

function withoutPrefix(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;
}
