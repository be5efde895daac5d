import { type Message, type MessageToolCall, messageText } from '../../domain/message.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { AttachedFile } from '../attachments/attached-file.ts';
import type { ModelTool } from '../models/model.ts';
import { reportedUsage } from '../wire/reported-usage.ts';
import { type ConnectorRequest, defineConnector } from './connector.ts';
import { errorTextIn } from './wire/answer.ts';
import { blocksOf, readMessage, withToolResults } from './wire/messages.ts';
import {
  type DocumentReader,
  type FileBlock,
  type ProviderAnswer,
  type ProviderApi,
  type ProviderConfig,
  type ProviderProtocol,
  providerConfigSchema,
} from './wire/provider.ts';

const defaultMaxTokens = 4_096;

const api: ProviderApi = {
  type: 'anthropic',
  provider: 'anthropic',
  path: 'messages',
  defaultBaseUrl: 'https://api.anthropic.com/v1',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariable: 'ANTHROPIC_API_KEY',
  authHeaders: ['x-api-key', 'authorization'],
  keyHeaders: (key) => ({ 'x-api-key': key }),
  completeBaseUrl: (baseUrl) => (/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`),
};

export const anthropicConnector = defineConnector({
  type: 'anthropic',
  label: 'Anthropic messages',
  summary: "an agent or a model that speaks Anthropic's Messages",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const headers = { 'anthropic-version': '2023-06-01', ...settings.headers };
    const protocol: ProviderProtocol = {
      outputLimit: 'max_tokens',
      bodyOf: (request, model) => bodyOf(request, model, config),
      fileBlock,
      createReader: () => (config.stream ? new AnthropicStream() : undefined),
      read: readReply,
    };
    return openProviderConnector(api, () => protocol, config, { ...settings, headers }, context);
  },
});

function bodyOf(
  { messages, tools: runTools = [] }: ConnectorRequest,
  model: string,
  config: ProviderConfig,
): Record<string, unknown> {
  const { tools, temperature, maxTokens = defaultMaxTokens, stream } = config;
  const systemTexts = messages.filter(({ role }) => role === 'system').map(messageText);
  const system = [config.instructions ?? config.system ?? '', ...systemTexts]
    .filter((text) => text !== '')
    .join('\n\n');
  return {
    model,
    max_tokens: maxTokens,
    ...(system !== '' && { system }),
    messages: anthropicMessages(messages),
    ...((tools || runTools.length > 0) && { tools: [...(tools ?? []), ...runTools.map(wireTool)] }),
    ...(temperature !== undefined && { temperature }),
    ...(stream && { stream: true }),
    ...config.body,
  };
}

function fileBlock({ name, mediaType, base64 }: AttachedFile): FileBlock {
  const source = { type: 'base64', media_type: mediaType, data: base64() };
  return mediaType === 'application/pdf' ? { type: 'document', source, title: name } : { type: 'image', source };
}

function wireTool({ name, description, inputSchema: input_schema }: ModelTool): unknown {
  return { name, description, input_schema };
}

/** The text of all blocks as one message, as the evaluators expect it. */
function readReply(document: unknown): ProviderAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.content)) return undefined;
  const message = readMessage({ ...document, role: 'assistant' });
  if (!message) return undefined;
  const text = messageText({ content: message.content });
  const content: Message['content'] = text === '' && message.tool_calls ? null : text;
  return {
    messages: [{ ...message, content }],
    ...reportedUsage(document),
    ...(typeof document.model === 'string' && { model: document.model }),
  };
}

interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | unknown[];
}

/**
 * A conversation as Anthropic wants it: without system messages, tool results in user messages, and roles that
 * alternate.
 */
function anthropicMessages(messages: readonly Message[]): WireMessage[] {
  const merged: { role: WireMessage['role']; content: unknown[] }[] = [];
  for (const message of withToolResults(messages)) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = wireBlocks(message);
    // Anthropic refuses empty messages.
    if (blocks.length === 0) continue;
    const before = merged.at(-1);
    if (before?.role === role) before.content.push(...blocks);
    else merged.push({ role, content: blocks });
  }
  return merged.map(({ role, content }) => ({ role, content: onlyText(content) ?? content }));
}

function wireBlocks(message: Message): unknown[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.tool_call_id ?? '', content: messageText(message) }];
  }
  const calls = message.tool_calls ?? [];
  const isCall = (block: unknown): boolean => isRecord(block) && block.type === 'tool_use';
  const content = blocksOf(message.content).filter(
    (block) => !(calls.length > 0 && isCall(block)) && !(block.type === 'text' && !block.text),
  );
  return [...content, ...calls.map(toolUse)];
}

/** Anthropic accepts only objects as input; other arguments are sent as text. */
function toolUse({ id, function: { name, arguments: text } }: MessageToolCall): unknown {
  const input = parseJson(text);
  return { type: 'tool_use', id, name, input: isRecord(input) ? input : { arguments: text } };
}

function onlyText(blocks: readonly unknown[]): string | undefined {
  const [first] = blocks;
  return blocks.length === 1 && isRecord(first) && first.type === 'text' && typeof first.text === 'string'
    ? first.text
    : undefined;
}

type Fields = Record<string, unknown>;

interface GrowingBlock {
  readonly start: Fields;
  text: string;
  inputText: string;
}

/** Assembles the events of Anthropic's stream. */
class AnthropicStream implements DocumentReader {
  problem: string | undefined;
  #message: Fields = {};
  #usage: Fields = {};
  #isComplete = false;
  readonly #blocks = new Map<unknown, GrowingBlock>();

  add(data: string): boolean {
    const event = parseJson(data);
    if (event === undefined) this.problem ??= 'an event is not JSON';
    if (!isRecord(event)) return false;
    if (event.type === 'message_start' && isRecord(event.message)) this.#start(event.message);
    else if (event.type === 'content_block_start' && isRecord(event.content_block))
      this.#blocks.set(event.index, { start: event.content_block, text: '', inputText: '' });
    else if (event.type === 'content_block_delta' && isRecord(event.delta)) return this.#grow(event.index, event.delta);
    else if (event.type === 'message_delta' && isRecord(event.usage)) Object.assign(this.#usage, event.usage);
    else if (event.type === 'message_stop') this.#isComplete = true;
    else if (event.type === 'error') this.problem ??= errorTextIn(event) ?? 'it sent an error';
    return false;
  }

  document(): unknown {
    if (!this.#isComplete) return undefined;
    const content = [...this.#blocks.values()].map(({ start, text, inputText }) => {
      if (start.type === 'text') return { type: 'text', text: `${asText(start.text)}${text}` };
      // Input that is not JSON is kept as text.
      return inputText === '' ? start : { ...start, input: parseJson(inputText) ?? inputText };
    });
    return { ...this.#message, content, usage: this.#usage };
  }

  #start(message: Fields): void {
    this.#message = message;
    if (isRecord(message.usage)) this.#usage = { ...message.usage };
  }

  #grow(index: unknown, delta: Fields): boolean {
    const block = this.#blocks.get(index);
    if (!block) return false;
    block.text += asText(delta.text);
    block.inputText += asText(delta.partial_json);
    return asText(delta.text) !== '';
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
