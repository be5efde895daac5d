import type { Loss } from '../../../domain/loss.ts';
import type { JsonObject, ReceivedRequest, WireFile, WirePart, WireRequest, WireTool } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { alternating, demandedTool, messagesIn, wholeSystem } from '../request.ts';
import { argumentObject, contentText, countIn, recordIn, recordsIn, textIn } from '../values.ts';

/** The model stands in the address. */
export const conversePath = /\/model\/([^/]+)\/converse(-stream)?$/;

export function readConverseRequest(body: JsonObject, pathname: string): ReceivedRequest {
  const unplaced: Loss[] = [];
  const [, model = '', streaming] = conversePath.exec(pathname) ?? [];
  const { tools: listed, toolChoice } = recordIn(body.toolConfig);
  const written = messagesIn(body.messages, 'messages', unplaced);
  const tools = recordsIn(listed).flatMap(readTool);
  const { tool, any } = recordIn(toolChoice);
  return {
    model: decodeURIComponent(model),
    system: contentText(body.system),
    messages: written.map(({ role, content }, index) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      parts: readBlocks(content, `messages[${index}].content`, unplaced),
    })),
    tools,
    demandedTool: demandedTool(recordIn(tool).name, any !== undefined, tools),
    maxOutputTokens: countIn(recordIn(body.inferenceConfig).maxTokens),
    isStreaming: streaming !== undefined,
    writtenMessages: written,
    replyCount: 1,
    leastOutputTokens: 1,
    continuesStored: false,
    unplaced,
  };
}

function readTool({ toolSpec }: JsonObject): WireTool[] {
  const { name, description, inputSchema } = recordIn(toolSpec);
  if (toolSpec === undefined) return [];
  return [{ name: textIn(name), description: textIn(description), inputSchema: recordIn(inputSchema).json }];
}

export function writeConverseRequest(request: WireRequest): JsonObject {
  const { messages, tools, demandedTool: demanded, temperature, maxOutputTokens } = request;
  const system = wholeSystem(request);
  const inferenceConfig = {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
  };
  const toolConfig = {
    tools: tools.map(writeTool),
    ...(demanded !== undefined && { toolChoice: { tool: { name: demanded } } }),
  };
  return {
    messages: alternating(messages, writePart),
    ...(system !== '' && { system: [{ text: system }] }),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...(tools.length > 0 && { toolConfig }),
  };
}

function writeTool({ name, description = name, inputSchema, written }: WireTool): unknown {
  return written ?? { toolSpec: { name, description, inputSchema: { json: inputSchema } } };
}

function writePart(part: WirePart): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ text: part.text }];
    case 'call': {
      const { callId: toolUseId, tool: name } = part.call;
      return [{ toolUse: { toolUseId, name, input: argumentObject(part.call, 'input') } }];
    }
    case 'result': {
      const { callId: toolUseId, content, isError } = part.result;
      return [{ toolResult: { toolUseId, content: [{ text: content }], ...(isError && { status: 'error' }) } }];
    }
    case 'file':
      return [writeFile(part.file)];
    case 'block':
      return [part.block];
    case 'thinking':
      return [];
  }
}

/** Bedrock takes names of documents without a dot. */
function writeFile({ mediaType, base64, name }: WireFile): JsonObject {
  const source = { bytes: base64() };
  const [kind, format] = mediaType.split('/');
  if (kind === 'image') return { image: { format, source } };
  return { document: { format: 'pdf', name: name.replace(/\.\w+$/, '').replace(/[^\w -]+/g, '-'), source } };
}
