import { isRecord } from '../../../../shared/json.ts';
import type { ModelMessage } from '../../model.ts';
import { type Conversation, conversationOf, type OfferedTool } from '../conversation.ts';
import { type Dialect, type Exchange, type JsonObject, type Recall, RefusedRequest } from './dialect.ts';
import { itemsOf, responseEvents, responseIdPrefix, responseOf } from './responses-output.ts';
import {
  argumentsIn,
  contentText,
  demandedTool,
  filesIn,
  isInstruction,
  openaiEnvironment,
  openaiError,
  recordsIn,
  requiredModel,
  requiredRecords,
  systemText,
  textIn,
} from './wire-format.ts';

/** OpenAI's Responses. */
export const responses: Dialect = {
  name: 'responses',
  environment: openaiEnvironment,
  taskOf: ({ method, pathname }) =>
    method === 'POST' && /^(\/v1)?\/responses$/.test(pathname) ? { kind: 'converse', open } : undefined,
  renderError: openaiError,
};

function open(body: JsonObject, recall: Recall): Exchange {
  const conversation = read(body, recall);
  const { tools } = conversation;
  const previousId = typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
  return {
    conversation,
    streamType: 'text/event-stream',
    whole: (reply) => responseOf(reply, previousId, itemsOf(reply, tools)),
    frames: (reply) => responseEvents(reply, previousId, itemsOf(reply, tools)),
  };
}

function read(body: JsonObject, recall: Recall): Conversation {
  const items =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : requiredRecords(body, 'input');
  const tools = recordsIn(body.tools).flatMap(offeredTools);
  const choice = body.tool_choice;
  return conversationOf({
    path: responses.name,
    model: requiredModel(body),
    isStreaming: body.stream === true,
    system: systemText(body.instructions, items),
    messages: [...earlierMessages(body, recall), ...readItems(items.filter((item) => !isInstruction(item)))],
    tools,
    demandedTool: demandedTool(isRecord(choice) ? choice.name : undefined, choice === 'required', tools),
  });
}

/** Tools may come grouped under a namespace; tools that the provider itself has carry no name. */
function offeredTools(tool: JsonObject): OfferedTool[] {
  if (tool.type !== 'namespace') return [{ name: textIn(tool.name ?? tool.type), isFreeform: tool.type === 'custom' }];
  const namespace = textIn(tool.name);
  return recordsIn(tool.tools)
    .flatMap(offeredTools)
    .map((inside) => ({ ...inside, namespace }));
}

function earlierMessages({ previous_response_id: id }: JsonObject, recall: Recall): readonly ModelMessage[] {
  if (typeof id !== 'string') return [];
  const messages = id.startsWith(responseIdPrefix) ? recall(id.slice(responseIdPrefix.length)) : undefined;
  if (messages) return messages;
  throw new RefusedRequest(400, `Previous response with id '${id}' not found.`);
}

/** Items of the model that follow one another are one reply of it. */
function readItems(items: readonly JsonObject[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const toolNames = new Map<string, string>();
  for (const item of items) {
    const message = readItem(item, toolNames);
    const before = messages.at(-1);
    if (message.role === 'assistant' && before?.role === 'assistant')
      messages[messages.length - 1] = {
        role: 'assistant',
        content: [before.content, message.content].filter((text) => text !== '').join('\n'),
        toolCalls: [...(before.toolCalls ?? []), ...(message.toolCalls ?? [])],
      };
    else messages.push(message);
  }
  return messages;
}

/** Every item that is neither the user's nor a tool's is the model's: messages, calls, reasoning, references. */
function readItem(item: JsonObject, toolNames: Map<string, string>): ModelMessage {
  const type = textIn(item.type);
  const callId = textIn(item.call_id);
  if (type.endsWith('_call_output')) {
    const content = typeof item.output === 'string' ? item.output : contentText(item.output);
    return { role: 'tool', callId, tool: toolNames.get(callId) ?? '', content };
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    const tool = textIn(item.name);
    toolNames.set(callId, tool);
    const input = type === 'custom_tool_call' ? item.input : argumentsIn(item.arguments);
    return { role: 'assistant', content: '', toolCalls: [{ callId, tool, input }] };
  }
  const content = contentText(item.content);
  return item.role === 'user' ? { role: 'user', content, ...filesIn(item.content) } : { role: 'assistant', content };
}
