import * as z from 'zod';
import { UnansweredRequests, unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import { type Message, messageText } from '../../domain/message.ts';
import { knownUsage } from '../../domain/usage.ts';
import { jsonOrText } from '../../shared/json.ts';
import { type AttachedFile, modelFile } from '../attachments/attached-file.ts';
import type { ModelMessage, ModelReply, Models } from '../models/model.ts';
import type { TargetContext } from '../targets/target.ts';
import { type Connector, type ConnectorRequest, type ConnectorResponse, defineConnector } from './connector.ts';
import { blocksOf, mergeNeighbours, toolCall, withToolResults } from './wire/messages.ts';
import { fileFor } from './wire/wire-messages.ts';

const configSchema = () =>
  z.strictObject({
    model: z
      .string()
      .min(1)
      .optional()
      .describe('`provider/model` to prompt, as in `models:` of the config; the model of a variant takes precedence'),
    instructions: z.string().optional().describe('the system prompt of the agent'),
    temperature: z.number().min(0).max(2).optional().describe('sampling temperature of the model'),
    maxTokens: z.int().min(1).optional().describe('most tokens of an answer'),
  });

type ModelConnectorConfig = z.output<ReturnType<typeof configSchema>>;

export const modelConnector = defineConnector({
  type: 'model',
  label: 'Model of the config',
  summary: 'a bare model of any configured provider, Azure OpenAI, Bedrock and Vertex AI included',
  reports: ['tool-calls', 'usage', 'latency'],
  offersTools: true,
  sendsFiles: true,
  configSchema,
  open: async (config, _settings, context) => openModel(config, context),
});

/** Prompts through the models of the run, with their retries, limits, prices and recordings. */
function openModel(config: ModelConnectorConfig, { models: openModels }: TargetContext): Connector {
  return {
    isPaidThroughAccount: true,
    async invoke(request) {
      const models = await openModels?.();
      const name = request.model ?? config.model;
      if (!models || name === undefined) throw noModel();
      return prompt(models, name, config, request);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function noModel(): AssayError {
  return new AssayError('TARGET_NOT_LOADED', 'The model connector has no model.', {
    hint: 'Set `model` in the config of the connector, or list models for the scenario.',
  });
}

async function prompt(
  models: Models,
  name: string,
  { instructions, temperature, maxTokens }: ModelConnectorConfig,
  { messages, tools, files = [], signal, clock, emit, breakModel = (found) => found }: ConnectorRequest,
): Promise<ConnectorResponse> {
  const model = breakModel(await models.find(name));
  const unanswered = new UnansweredRequests();
  const reply = await model.generate(
    {
      system: systemText(instructions, messages),
      messages: mergeNeighbours(withToolResults(messages)).flatMap((message) => modelMessages(message, files)),
      // A recording of a call holds what the model was offered, and nothing of how it is run here.
      tools: tools?.map(({ name: tool, description, inputSchema }) => ({ name: tool, description, inputSchema })),
      temperature,
      maxOutputTokens: maxTokens,
    },
    signal,
    unanswered,
    clock,
  );
  for (const event of unansweredEvents(name, unanswered.count, 'target')) emit?.(event);
  return responseOf(reply);
}

/** The instructions of the config and the system messages of a prompt. */
function systemText(instructions: string | undefined, messages: readonly Message[]): string | undefined {
  const texts = messages.filter(({ role }) => role === 'system').map(messageText);
  const all = [...(instructions === undefined ? [] : [instructions]), ...texts];
  return all.length === 0 ? undefined : all.join('\n\n');
}

function modelMessages(message: Message, files: readonly AttachedFile[]): ModelMessage[] {
  const content = messageText(message);
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [userMessage(message, files)];
    case 'tool':
      return [{ role: 'tool', callId: message.tool_call_id ?? '', tool: message.name ?? '', content }];
    case 'assistant': {
      const toolCalls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        callId: id,
        tool: name,
        input: jsonOrText(input),
      }));
      return [{ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }];
    }
  }
}

function userMessage(message: Message, files: readonly AttachedFile[]): ModelMessage {
  const attached = blocksOf(message.content).flatMap((block) => fileFor(block, files) ?? []);
  if (attached.length === 0) return { role: 'user', content: messageText(message) };
  const texts = blocksOf(message.content).flatMap(({ type, text }) => (type === 'text' && text ? [text] : []));
  return { role: 'user', content: texts.join('\n\n'), files: attached.map(modelFile) };
}

function responseOf({ text, toolCalls, usage, costUsd, latencyMs, respondedAs, gaps }: ModelReply): ConnectorResponse {
  const calls = toolCalls.map(({ callId, tool, input: args }) => toolCall(callId, tool, args));
  const content = text === '' && calls.length > 0 ? null : text;
  return {
    messages: [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }],
    latencyMs,
    model: respondedAs,
    usage: knownUsage(usage),
    gaps,
    ...(costUsd !== null && { costUsd }),
  };
}
