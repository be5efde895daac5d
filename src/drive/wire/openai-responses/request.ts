import type { Loss } from '../../../domain/loss.ts';
import type { JsonObject, ReceivedRequest, WireFile, WireMessage, WirePart, WireRequest, WireTool } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { demandedTool, isInstruction, messagesIn, systemText } from '../request.ts';
import { argumentText, countIn, recordIn, recordsIn, textIn } from '../values.ts';
import { readItem } from './reply.ts';

export function readResponsesRequest(body: JsonObject): ReceivedRequest {
  const unplaced: Loss[] = [];
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const items = messagesIn(input, 'input', unplaced);
  const tools = recordsIn(body.tools).flatMap(readTools);
  const choice = body.tool_choice;
  return {
    model: textIn(body.model),
    system: systemText(body.instructions, items),
    messages: items.map((item, index) => readInput(item, `input[${index}]`, unplaced)),
    tools,
    demandedTool: demandedTool(recordIn(choice).name, choice === 'required', tools),
    maxOutputTokens: countIn(body.max_output_tokens),
    isStreaming: body.stream === true,
    writtenMessages: items,
    // The provider accepts no smaller limit.
    replyCount: 1,
    leastOutputTokens: 16,
    continuesStored: typeof body.previous_response_id === 'string' || Boolean(body.conversation),
    unplaced,
  };
}

/** Tools may come grouped under a namespace; tools that the provider itself has carry no name. */
function readTools(tool: JsonObject): WireTool[] {
  if (tool.type === 'namespace') {
    const namespace = textIn(tool.name);
    return recordsIn(tool.tools)
      .flatMap(readTools)
      .map((inside) => ({ ...inside, namespace }));
  }
  const { name, description, parameters } = tool;
  const isFreeform = tool.type === 'custom';
  return [{ name: textIn(name ?? tool.type), description: textIn(description), inputSchema: parameters, isFreeform }];
}

/** Every item that is neither the user's nor a tool's is the model's: messages, calls, reasoning. */
function readInput(item: JsonObject, place: string, unplaced: Loss[]): WireMessage {
  // Messages may leave their type out; what a client lists in one are separate texts, not pieces of an answer.
  const isMessage = (item.type === undefined || item.type === 'message') && typeof item.role === 'string';
  const parts = isMessage
    ? readBlocks(item.content, `${place}.content`, unplaced)
    : readItem(item, place, unplaced, () => '');
  if (isInstruction(item)) return { role: 'system', parts };
  const isResult = parts.length > 0 && parts.every(({ kind }) => kind === 'result');
  return { role: isResult ? 'tool' : item.role === 'user' ? 'user' : 'assistant', parts };
}

export function writeResponsesRequest(request: WireRequest): JsonObject {
  const { model, system, messages, tools, output, temperature, maxOutputTokens, isStreaming } = request;
  return {
    model,
    ...(system !== '' && { instructions: system }),
    input: messages.flatMap(writeMessage),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(output && { text: { format: writeFormat(output) } }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(isStreaming && { stream: true }),
  };
}

function writeFormat({ name, schema, isStrict = false }: NonNullable<WireRequest['output']>): JsonObject {
  return schema === undefined ? { type: 'json_object' } : { type: 'json_schema', name, schema, strict: isStrict };
}

function writeTool({ name, description, inputSchema: parameters, written }: WireTool): unknown {
  return written ?? { type: 'function', name, description, parameters, strict: false };
}

/** Tool calls and their results are separate items. */
function writeMessage({ role, parts }: WireMessage): JsonObject[] {
  const spoken = parts.flatMap((part) => writePart(part, role));
  const [first, ...others] = spoken;
  const isPlain = others.length === 0 && first !== undefined && /^(?:in|out)put_text$/.test(textIn(first.type));
  const content = isPlain ? textIn(first.text) : spoken;
  const message = spoken.length === 0 || content === '' ? [] : [{ role, content }];
  return [...message, ...parts.flatMap(writeItem)];
}

function writePart(part: WirePart, role: WireMessage['role']): JsonObject[] {
  if (part.kind === 'text') return [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text }];
  if (part.kind === 'file') return [writeFile(part.file)];
  return part.kind === 'block' ? [part.block] : [];
}

function writeItem(part: WirePart): JsonObject[] {
  if (part.kind === 'result') {
    return [{ type: 'function_call_output', call_id: part.result.callId, output: part.result.content }];
  }
  if (part.kind !== 'call') return [];
  const { callId, tool: name } = part.call;
  return [{ type: 'function_call', call_id: callId, name, arguments: argumentText(part.call) }];
}

function writeFile({ name, mediaType, base64 }: WireFile): JsonObject {
  const data = `data:${mediaType};base64,${base64()}`;
  if (mediaType === 'application/pdf') return { type: 'input_file', filename: name, file_data: data };
  return { type: 'input_image', image_url: data, detail: 'auto' };
}
