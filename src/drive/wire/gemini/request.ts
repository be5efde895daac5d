import type { Loss } from '../../../domain/loss.ts';
import type { JsonObject, ReceivedRequest, WirePart, WireRequest, WireTool } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { demandedTool, messagesIn, wholeSystem } from '../request.ts';
import { argumentObject, contentText, countIn, recordIn, recordsIn, textIn } from '../values.ts';

/** Fewer tokens for thinking than these are not worth a request. */
const leastThinking = 512;

/** Settings of a reply with a limit: thinking counts towards it, and gets at most half of it. */
export function withLimit(config: JsonObject, maxOutputTokens: number): JsonObject {
  const thinking = recordIn(config.thinkingConfig);
  const budget = countIn(thinking.thinkingBudget) ?? 0;
  const most = Math.floor(maxOutputTokens / 2);
  if (budget <= most) return { ...config, maxOutputTokens };
  return { ...config, maxOutputTokens, thinkingConfig: { ...thinking, thinkingBudget: most } };
}

/** The model and the method stand in the address. */
export const modelPath = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export function readGeminiRequest(body: JsonObject, pathname: string): ReceivedRequest {
  const unplaced: Loss[] = [];
  const contents = messagesIn(body.contents, 'contents', unplaced);
  const config = recordIn(body.generationConfig ?? body.generation_config);
  const [, model = '', method] = modelPath.exec(pathname) ?? [];
  const tools = recordsIn(body.tools)
    .flatMap((tool) => recordsIn(tool.functionDeclarations ?? tool.function_declarations))
    .map(readTool);
  const { mode, allowedFunctionNames } = recordIn(recordIn(body.toolConfig).functionCallingConfig);
  const allowed = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  return {
    model: decodeURIComponent(model),
    system: contentText(recordIn(body.systemInstruction ?? body.system_instruction).parts),
    messages: contents.map(({ role, parts }, index) => ({
      role: role === 'model' ? 'assistant' : 'user',
      parts: readBlocks(parts, `contents[${index}].parts`, unplaced),
    })),
    tools,
    demandedTool: mode === 'ANY' ? demandedTool(allowed.length === 1 ? allowed[0] : undefined, true, tools) : undefined,
    maxOutputTokens: countIn(config.maxOutputTokens),
    isStreaming: method === 'streamGenerateContent',
    writtenMessages: contents,
    replyCount: Math.max(1, countIn(config.candidateCount) ?? 1),
    leastOutputTokens: (countIn(recordIn(config.thinkingConfig).thinkingBudget) ?? 0) > 0 ? 2 * leastThinking : 1,
    continuesStored: typeof body.cachedContent === 'string',
    unplaced,
  };
}

function readTool({ name, description, parameters, parametersJsonSchema }: JsonObject): WireTool {
  return { name: textIn(name), description: textIn(description), inputSchema: parameters ?? parametersJsonSchema };
}

export function writeGeminiRequest(request: WireRequest): JsonObject {
  const { model, messages, tools, output, temperature, seed, maxOutputTokens } = request;
  const system = wholeSystem(request);
  const generationConfig = {
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(output && { responseMimeType: 'application/json' }),
    ...(output?.schema !== undefined && { responseJsonSchema: output.schema }),
  };
  const isSigned = /gemini-[3-9]/.test(model);
  const contents = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, parts }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: parts.flatMap((part) => writePart(part, isSigned)),
    }));
  return {
    contents: contents.filter(({ parts }) => parts.length > 0),
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(writeTool) }] }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
}

function writeTool({ name, description, inputSchema: parametersJsonSchema, written }: WireTool): unknown {
  return written ?? { name, description, parametersJsonSchema };
}

/** Newer models refuse their own calls without a signature, unless this word stands in its place. */
const withoutSignature = { thoughtSignature: 'skip_thought_signature_validator' };

function writePart(part: WirePart, isSigned: boolean): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ text: part.text }];
    case 'call':
      return [
        {
          functionCall: { id: part.call.callId, name: part.call.tool, args: argumentObject(part.call, 'input') },
          ...(isSigned && withoutSignature),
        },
      ];
    case 'result': {
      const { callId: id, tool: name = '', content } = part.result;
      return [{ functionResponse: { id, name, response: { output: content } } }];
    }
    case 'file':
      return [{ inlineData: { mimeType: part.file.mediaType, data: part.file.base64() } }];
    case 'block':
      return [part.block];
    case 'thinking':
      return [];
  }
}
