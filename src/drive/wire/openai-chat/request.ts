import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, ReceivedRequest, WireFile, WireMessage, WirePart, WireRequest, WireTool } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { readCalls } from '../listed-calls.ts';
import { demandedTool, messagesIn, systemText } from '../request.ts';
import { argumentText, callsOf, contentText, countIn, recordIn, recordsIn, textIn, textOf } from '../values.ts';

const roles: Readonly<Record<string, WireMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

export function readChatRequest(body: JsonObject): ReceivedRequest {
  const unplaced: Loss[] = [];
  const written = messagesIn(body.messages, 'messages', unplaced);
  const tools = recordsIn(body.tools).map(readTool);
  const choice = body.tool_choice;
  const chosen = recordIn(recordIn(choice).function).name;
  return {
    model: textIn(body.model),
    system: systemText(undefined, written),
    messages: written.map((message, index) => readMessage(message, `messages[${index}]`, unplaced)),
    tools,
    demandedTool: demandedTool(chosen, choice === 'required', tools),
    maxOutputTokens: countIn(body.max_completion_tokens) ?? countIn(body.max_tokens),
    isStreaming: body.stream === true,
    writtenMessages: written,
    replyCount: Math.max(1, countIn(body.n) ?? 1),
    leastOutputTokens: 1,
    continuesStored: false,
    unplaced,
  };
}

function readTool(tool: JsonObject): WireTool {
  const { name, description, parameters } = recordIn(tool.function ?? tool.custom);
  return {
    name: textIn(name) || textIn(tool.type),
    description: textIn(description),
    inputSchema: parameters,
    isFreeform: tool.type === 'custom',
  };
}

function readMessage(message: JsonObject, place: string, unplaced: Loss[]): WireMessage {
  const role = roles[textIn(message.role)] ?? 'user';
  if (role === 'tool') {
    const result = { callId: textIn(message.tool_call_id), content: contentText(message.content) };
    return { role, parts: [{ kind: 'result', result }] };
  }
  const content = readBlocks(message.content, `${place}.content`, unplaced);
  return { role, parts: [...content, ...readCalls(message, place, unplaced)] };
}

/** OpenAI renamed the limit; most other servers of the same API still expect the old name. */
export type LimitName = 'max_tokens' | 'max_completion_tokens';

export function writeChatRequest(request: WireRequest, limitName: LimitName = 'max_tokens'): JsonObject {
  const { model, system, messages, tools, output, temperature, seed, maxOutputTokens, isStreaming } = request;
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(writeMessage)],
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(output && { response_format: writeOutput(output) }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { [limitName]: maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    ...(isStreaming && { stream: true, stream_options: { include_usage: true } }),
  };
}

function writeOutput({ name, schema, isStrict = false }: NonNullable<WireRequest['output']>): JsonObject {
  if (schema === undefined) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { schema, strict: isStrict, name } };
}

function writeTool({ name, description, inputSchema: parameters, written }: WireTool): unknown {
  return written ?? { type: 'function', function: { name, description, parameters } };
}

function writeMessage({ role, parts, name }: WireMessage): JsonObject[] {
  const named = name === undefined ? {} : { name };
  if (role === 'tool') {
    return parts.flatMap((part) =>
      part.kind === 'result' ? [{ role, tool_call_id: part.result.callId, content: part.result.content }] : [],
    );
  }
  const calls = callsOf(parts).map((call) => ({
    id: call.callId,
    type: 'function',
    function: { name: call.tool, arguments: argumentText(call) },
  }));
  const content = writeContent(parts.filter(({ kind }) => kind !== 'call'));
  const isSilent = content === '' && calls.length > 0;
  return [{ role, content: isSilent ? null : content, ...(calls.length > 0 && { tool_calls: calls }), ...named }];
}

/** A text alone is written as one. */
function writeContent(parts: readonly WirePart[]): string | unknown[] {
  const isText = parts.length <= 1 && parts.every(({ kind }) => kind === 'text');
  return isText ? textOf(parts) : parts.flatMap(writePart);
}

function writePart(part: WirePart): unknown[] {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind === 'file') return [writeFile(part.file)];
  return part.kind === 'block' && isRecord(part.block) ? [part.block] : [];
}

function writeFile({ name, mediaType, base64 }: WireFile): JsonObject {
  const data = `data:${mediaType};base64,${base64()}`;
  if (mediaType === 'application/pdf') return { type: 'file', file: { filename: name, file_data: data } };
  return { type: 'image_url', image_url: { url: data } };
}
