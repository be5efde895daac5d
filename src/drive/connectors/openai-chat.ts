import type { Message } from '../../domain/message.ts';

import type { AttachedFile } from '../attachments/attached-file.ts';
import type { ModelTool } from '../models/model.ts';

import { type ConnectorRequest, defineConnector } from './connector.ts';

import { ChatStream, readChatCompletion } from './wire/chat-completions.ts';
import { mergeNeighbours, withToolResults } from './wire/messages.ts';
import {
  type FileBlock,
  openaiApi,
  type ProviderConfig,
  type ProviderProtocol,
  providerConfigSchema,
} from './wire/provider.ts';

export const openaiChatConnector = defineConnector({
  type: 'openai-chat',
  label: 'OpenAI chat completions',
  summary: "an agent or a model that speaks OpenAI's chat completions",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const api = { ...openaiApi, type: 'openai-chat', path: 'chat/completions' };
    const protocolFor = (isProvider: boolean): ProviderProtocol => ({
      outputLimit: outputLimitName(isProvider),
      bodyOf: (request, model) => bodyOf(request, model, config, isProvider),
      fileBlock,
      createReader: () => (config.stream ? new ChatStream() : undefined),
      read: readChatCompletion,
    });
    return openProviderConnector(api, protocolFor, config, settings, context);
  },
});

function bodyOf(
  { messages, tools: runTools = [] }: ConnectorRequest,
  model: string,
  { instructions, system, tools, temperature, maxTokens, stream, body }: ProviderConfig,
  isProvider: boolean,
): Record<string, unknown> {
  const prompt = instructions ?? system;
  return {
    model,
    messages: [
      ...(prompt === undefined ? [] : [{ role: 'system', content: prompt }]),
      ...mergeNeighbours(withToolResults(messages)).map(wireMessage),
    ],
    ...((tools || runTools.length > 0) && { tools: [...(tools ?? []), ...runTools.map(wireTool)] }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [outputLimitName(isProvider)]: maxTokens }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...body,
  };
}

/** OpenAI renamed this field; most other servers of the same API still expect the old name. */
function outputLimitName(isProvider: boolean): string {
  return isProvider ? 'max_completion_tokens' : 'max_tokens';
}

function wireTool({ name, description, inputSchema: parameters }: ModelTool): unknown {
  return { type: 'function', function: { name, description, parameters } };
}

function fileBlock({ name, mediaType, base64 }: AttachedFile): FileBlock {
  const data = `data:${mediaType};base64,${base64()}`;
  if (mediaType === 'application/pdf') return { type: 'file', file: { filename: name, file_data: data } };
  return { type: 'image_url', image_url: { url: data } };
}

function wireMessage({ role, content, tool_calls, tool_call_id, name }: Message): unknown {
  if (role === 'tool') return { role, tool_call_id, content: content ?? '' };
  return { role, content, ...(tool_calls && { tool_calls }), ...(name !== undefined && { name }) };
}
