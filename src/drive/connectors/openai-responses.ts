import type { Message, MessageToolCall } from '../../domain/message.ts';

import { isRecord, parseJson } from '../../shared/json.ts';

import type { AttachedFile } from '../attachments/attached-file.ts';
import type { ModelTool } from '../models/model.ts';
import { reportedUsage } from '../wire/reported-usage.ts';
import { type ConnectorRequest, defineConnector } from './connector.ts';
import { errorTextIn } from './wire/answer.ts';
import { ConversationMemory } from './wire/conversation-memory.ts';
import { mergeNeighbours, toolCall, withToolResults } from './wire/messages.ts';
import {
  type DocumentReader,
  type FileBlock,
  openaiApi,
  type ProviderAnswer,
  type ProviderConfig,
  type ProviderProtocol,
  providerConfigSchema,
} from './wire/provider.ts';

export const openaiResponsesConnector = defineConnector({
  type: 'openai-responses',
  label: 'OpenAI responses',
  summary: "an agent or a model that speaks OpenAI's Responses, and keeps the conversation itself",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const api = { ...openaiApi, type: 'openai-responses', path: 'responses' };
    return openProviderConnector(api, () => createProtocol(config), config, settings, context);
  },
});

/** The API keeps the conversations; each turn refers to the id of the response before it. */
function createProtocol(config: ProviderConfig): ProviderProtocol {
  const lastResponses = new ConversationMemory<string>();
  // A response that is not stored cannot be referred to.
  const isStored = config.body.store !== false;
  return {
    outputLimit: 'max_output_tokens',
    bodyOf(request, model) {
      const previousId = isStored ? lastResponses.get(request.conversationId) : undefined;
      return bodyOf(request, model, config, previousId);
    },
    fileBlock,
    createReader: () => (config.stream ? new ResponseStream() : undefined),
    read(document, { conversationId }) {
      const answer = readResponse(document);
      if (answer?.threadId !== undefined) lastResponses.set(conversationId, answer.threadId);
      return answer;
    },
  };
}

function bodyOf(
  request: ConnectorRequest,
  model: string,
  { instructions, system, tools, temperature, maxTokens, stream, body }: ProviderConfig,
  previousId: string | undefined,
): Record<string, unknown> {
  const { tools: runTools = [] } = request;
  const prompt = instructions ?? system;
  const messages = previousId === undefined ? withToolResults(request.messages) : unseenMessages(request);
  return {
    model,
    ...(prompt !== undefined && { instructions: prompt }),
    input: inputItems(mergeNeighbours(messages)),
    ...(previousId !== undefined && { previous_response_id: previousId }),
    ...((tools || runTools.length > 0) && { tools: [...(tools ?? []), ...runTools.map(wireTool)] }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(stream && { stream: true }),
    ...body,
  };
}

function fileBlock({ name, mediaType, base64 }: AttachedFile): FileBlock {
  const data = `data:${mediaType};base64,${base64()}`;
  if (mediaType === 'application/pdf') return { type: 'input_file', filename: name, file_data: data };
  return { type: 'input_image', image_url: data, detail: 'auto' };
}

function wireTool({ name, description, inputSchema: parameters }: ModelTool): unknown {
  return { type: 'function', name, description, parameters, strict: false };
}

/** The messages that the endpoint has not received yet, with a result for each call of its last answer. */
function unseenMessages({ messages, seenCount }: ConnectorRequest): Message[] {
  const lastUserMessage = messages.slice(0, seenCount).findLastIndex(({ role }) => role === 'user');
  const received = new Set(messages.slice(0, seenCount));
  return withToolResults(messages.slice(lastUserMessage + 1)).filter((message) => !received.has(message));
}

function readResponse(document: unknown): ProviderAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.output) || isRecord(document.error)) return undefined;
  const messages = readOutput(document.output);
  if (messages.length === 0) return undefined;
  return {
    messages,
    ...reportedUsage(document),
    ...(typeof document.model === 'string' && { model: document.model }),
    ...(typeof document.id === 'string' && { threadId: document.id }),
  };
}

/** Messages as the Responses API takes them: tool calls and their results are separate items. */
function inputItems(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [resultItem(message)];
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: args,
    }));
    return [...messageItems(message), ...calls];
  });
}

function resultItem({ tool_call_id: callId, content }: Message): unknown {
  const output = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  return { type: 'function_call_output', call_id: callId ?? '', output };
}

function messageItems({ role, content }: Message): unknown[] {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ role, content }];
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = content.map((block) => (block.type === 'text' ? { type: textType, text: block.text ?? '' } : block));
  return [{ role, content: parts }];
}

type Item = Record<string, unknown>;

/**
 * The items of a response as one message of the assistant, followed by the results of tools that the provider itself
 * called; empty when the response has no content.
 */
function readOutput(output: readonly unknown[]): Message[] {
  const items = output.filter(isRecord);
  const texts = items.filter(({ type }) => type === 'message').map(textOf);
  const calls = items.filter(({ type }) => typeof type === 'string' && type.endsWith('_call')).map(readCall);
  if (texts.length === 0 && calls.length === 0) return [];
  const messageItem = items.find(({ type }) => type === 'message');
  const message: Message = {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n'),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof messageItem?.id === 'string' && { id: messageItem.id }),
  };
  return [message, ...items.flatMap(readResult)];
}

function textOf({ content }: Item): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map(({ text, refusal }) => [text, refusal].find((part) => typeof part === 'string') ?? '').join('');
}

/** Calls of functions, and of the provider's built-in tools, which are named by their type. */
function readCall(item: Item, index: number): MessageToolCall {
  const { type, id, call_id: callId, name, status: _, arguments: args, input, output: __, ...rest } = item;
  const itemId = [callId, id].find((text): text is string => typeof text === 'string') ?? `call_${index + 1}`;
  return toolCall(itemId, typeof name === 'string' ? name : String(type).replace(/_call$/, ''), args ?? input ?? rest);
}

function readResult({ type, id, output, name }: Item): Message[] {
  if (type !== 'mcp_call' || typeof output !== 'string' || typeof id !== 'string') return [];
  return [{ role: 'tool', tool_call_id: id, content: output, ...(typeof name === 'string' && { name }) }];
}

/** Reads the events of a response; the last of them holds the whole of it. */
class ResponseStream implements DocumentReader {
  problem: string | undefined;
  #response: unknown;

  add(data: string): boolean {
    if (data.trim() === '[DONE]') return false;
    const event = parseJson(data);
    if (event === undefined) this.problem ??= 'an event is not JSON';
    if (!isRecord(event)) return false;
    const { type } = event;
    if (type === 'response.completed' || type === 'response.incomplete') this.#response = event.response;
    else if (type === 'response.failed') this.problem ??= errorTextIn(event.response) ?? 'no message';
    else if (type === 'error') this.problem ??= errorTextIn(event) ?? 'it sent an error';
    return type === 'response.output_text.delta' && typeof event.delta === 'string' && event.delta !== '';
  }

  document(): unknown {
    return this.#response;
  }
}
