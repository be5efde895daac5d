import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, ReceivedRequest, WireFile, WireMessage, WirePart, WireRequest, WireTool } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { alternating, demandedTool, isInstruction, messagesIn, systemText, wholeSystem } from '../request.ts';
import { argumentObject, countIn, recordIn, recordsIn, textIn } from '../values.ts';

/** The fewest tokens for thinking that the provider accepts, and room for an answer beside them. */
const leastThinking = 1_024;
const leastAnswer = 1_024;

/** A request with another limit, which the tokens for thinking have to stay below. */
export function withLimit(body: JsonObject, maxTokens: number): JsonObject {
  const thinking = recordIn(body.thinking);
  const limited = { ...body, max_tokens: maxTokens };
  if (thinking.type !== 'enabled' || (countIn(thinking.budget_tokens) ?? 0) < maxTokens) return limited;
  return { ...limited, thinking: { ...thinking, budget_tokens: Math.max(leastThinking, maxTokens - leastAnswer) } };
}

/** The API reads from its cache what stands before a mark; a text that is too short for it costs nothing more with one. */
const cacheMark = { cache_control: { type: 'ephemeral' } };

/** The API wants a limit in every request. */
const usualMaxTokens = 4_096;

export function readMessagesRequest(body: JsonObject): ReceivedRequest {
  const unplaced: Loss[] = [];
  const written = messagesIn(body.messages, 'messages', unplaced);
  const tools = recordsIn(body.tools).map(readTool);
  const choice = recordIn(body.tool_choice);
  const thinking = recordIn(body.thinking);
  return {
    model: textIn(body.model),
    system: systemText(body.system, written),
    messages: written.map((message, index) => readMessage(message, `messages[${index}]`, unplaced)),
    tools,
    demandedTool: demandedTool(choice.name, choice.type === 'any', tools),
    maxOutputTokens: countIn(body.max_tokens),
    isStreaming: body.stream === true,
    writtenMessages: written,
    replyCount: 1,
    leastOutputTokens: thinking.type === 'enabled' ? leastThinking + leastAnswer : 1,
    continuesStored: false,
    unplaced,
  };
}

function readTool({ name, description, input_schema: inputSchema }: JsonObject): WireTool {
  return { name: textIn(name), description: textIn(description), inputSchema };
}

function readMessage(message: JsonObject, place: string, unplaced: Loss[]): WireMessage {
  const role = isInstruction(message) ? 'system' : message.role === 'assistant' ? 'assistant' : 'user';
  return { role, parts: readBlocks(message.content, `${place}.content`, unplaced) };
}

export function writeMessagesRequest(request: WireRequest): JsonObject {
  const { model, messages, tools, demandedTool: demanded, output, temperature, isStreaming } = request;
  const { maxOutputTokens = usualMaxTokens } = request;
  const system = wholeSystem(request);
  return {
    model,
    max_tokens: maxOutputTokens,
    ...(system !== '' && { system: request.repeatsSystem ? [{ type: 'text', text: system, ...cacheMark }] : system }),
    messages: alternating(messages, writePart).map(({ role, content }) => ({
      role,
      content: onlyText(content) ?? content,
    })),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(demanded !== undefined && { tool_choice: { type: 'tool', name: demanded } }),
    ...(output?.schema !== undefined && {
      output_config: { format: { type: 'json_schema', schema: supportedSchema(output.schema) } },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(isStreaming && { stream: true }),
  };
}

const supportedKeys: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'definitions', 'title', 'description', 'type', 'const', 'enum', 'default'],
  ...['properties', 'required', 'additionalProperties', 'items', 'anyOf', 'allOf'],
]);

/** A JSON Schema without what the API refuses, such as limits of lengths. */
function supportedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(supportedSchema);
  if (!isRecord(schema)) return schema;
  const fields = Object.entries(schema).filter(([key]) => supportedKeys.has(key));
  return Object.fromEntries(
    fields.map(([key, value]) => [key, mapsOfSchemas.has(key) ? schemasIn(value) : supportedSchema(value)]),
  );
}

/** Keys whose value has schemas by names that may be anything. */
const mapsOfSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

function schemasIn(value: unknown): JsonObject {
  return Object.fromEntries(Object.entries(recordIn(value)).map(([name, schema]) => [name, supportedSchema(schema)]));
}

function writeTool({ name, description, inputSchema: input_schema, written }: WireTool): unknown {
  return written ?? { name, description, input_schema };
}

function onlyText([first, ...others]: readonly JsonObject[]): string | undefined {
  return others.length === 0 && first?.type === 'text' ? textIn(first.text) : undefined;
}

function writePart(part: WirePart): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'call': {
      const { callId: id, tool: name } = part.call;
      return [{ type: 'tool_use', id, name, input: argumentObject(part.call, 'arguments') }];
    }
    case 'result': {
      const { callId, content, isError } = part.result;
      return [{ type: 'tool_result', tool_use_id: callId, content, ...(isError && { is_error: true }) }];
    }
    case 'file':
      return [writeFile(part.file)];
    case 'block':
      return [part.block];
    case 'thinking':
      // The API takes thinking only with its signature.
      return [];
  }
}

function writeFile({ name, mediaType, base64 }: WireFile): JsonObject {
  const source = { type: 'base64', media_type: mediaType, data: base64() };
  return mediaType === 'application/pdf' ? { type: 'document', source, title: name } : { type: 'image', source };
}
