import { isRecord } from '../../../../shared/json.ts';
import type { ModelMessage } from '../../model.ts';
import { type Conversation, conversationOf, piecesOf, type ScriptedReply } from '../conversation.ts';
import type { Dialect, Exchange, JsonObject, RequestLine } from './dialect.ts';
import {
  contentText,
  demandedTool,
  filesIn,
  recordsIn,
  requiredRecords,
  serverSentEvent,
  textIn,
} from './wire-format.ts';

const methodPath =
  /^(?:\/v1(?:alpha|beta)?)?(?:\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Google's Gemini, by its own API and by Vertex AI. */
export const gemini: Dialect = {
  name: 'gemini',
  environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GOOGLE_VERTEX_BASE_URL: url }),
  taskOf({ method, pathname, query }) {
    if (method === 'GET' && /^\/v1(alpha|beta)\/models$/.test(pathname))
      return { kind: 'list-models', render: renderModels };
    const [, model = '', verb] = (method === 'POST' && methodPath.exec(pathname)) || [];
    if (verb === undefined) return undefined;
    if (verb === 'countTokens')
      return {
        kind: 'count-tokens',
        read: (body) => read(countedRequest(body), model, false),
        render: (tokens) => ({ totalTokens: tokens }),
      };
    return { kind: 'converse', open: (body) => open(read(body, model, verb === 'streamGenerateContent'), query) };
  },
  renderError: (status, message) => ({
    error: { code: status, message, status: errorStatuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL') },
  }),
};

const errorStatuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function renderModels(model: string): unknown {
  const supportedGenerationMethods = ['generateContent', 'countTokens'];
  const limits = { inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 };
  return { models: [{ name: `models/${model}`, displayName: model, ...limits, supportedGenerationMethods }] };
}

function open(conversation: Conversation, query: RequestLine['query']): Exchange {
  const isEventStream = query.get('alt') === 'sse';
  return {
    conversation,
    streamType: isEventStream ? 'text/event-stream' : 'application/json',
    whole: (reply) => responseOf(reply, partsOf(reply), true),
    frames: (reply) => (isEventStream ? eventFrames(reply) : arrayFrames(reply)),
  };
}

/** The contents to count may stand in a request as it would be sent. */
function countedRequest(body: JsonObject): JsonObject {
  return isRecord(body.generateContentRequest) ? body.generateContentRequest : body;
}

function read(body: JsonObject, model: string, isStreaming: boolean): Conversation {
  const system = body.systemInstruction ?? body.system_instruction;
  const tools = recordsIn(body.tools)
    .flatMap((tool) => recordsIn(tool.functionDeclarations ?? tool.function_declarations))
    .map(({ name }) => ({ name: textIn(name), isFreeform: false }));
  const { functionCallingConfig } = isRecord(body.toolConfig) ? body.toolConfig : {};
  const { mode, allowedFunctionNames } = isRecord(functionCallingConfig) ? functionCallingConfig : {};
  const allowed = Array.isArray(allowedFunctionNames) ? allowedFunctionNames.map(textIn) : [];
  return conversationOf({
    path: gemini.name,
    model,
    isStreaming,
    system: isRecord(system) ? contentText(system.parts) : '',
    messages: requiredRecords(body, 'contents').flatMap(readContent),
    tools,
    demandedTool: mode === 'ANY' ? demandedTool(allowed.length === 1 ? allowed[0] : undefined, true, tools) : undefined,
  });
}

/** Parts of the model's thinking are left out: they are not part of the conversation. */
function readContent({ role, parts }: JsonObject): ModelMessage[] {
  const spoken = recordsIn(parts).filter(({ thought }) => thought !== true);
  const content = contentText(spoken);
  if (role === 'model') {
    const toolCalls = spoken.flatMap(({ functionCall: call }) =>
      isRecord(call) ? [{ callId: textIn(call.id), tool: textIn(call.name), input: call.args ?? {} }] : [],
    );
    return [{ role: 'assistant', content, toolCalls }];
  }
  const results = spoken.flatMap(({ functionResponse: result }): ModelMessage[] =>
    isRecord(result)
      ? [{ role: 'tool', callId: textIn(result.id), tool: textIn(result.name), content: resultText(result.response) }]
      : [],
  );
  return content === '' && results.length > 0 ? results : [...results, { role: 'user', content, ...filesIn(spoken) }];
}

/** Clients that wrap a text use one of these names. */
function resultText(response: unknown): string {
  const { output, content, result } = isRecord(response) ? response : {};
  const text = output ?? content ?? result;
  return typeof text === 'string' ? text : JSON.stringify(response ?? {});
}

function partsOf({ text, toolCalls }: ScriptedReply): JsonObject[] {
  const calls = toolCalls.map(({ callId, tool, input }) => ({ functionCall: { id: callId, name: tool, args: input } }));
  return text === '' && calls.length > 0 ? calls : [{ text }, ...calls];
}

/** Each response of a stream is a whole one with some of the parts; calls come in one piece. */
function* streamedResponses(reply: ScriptedReply): Generator<unknown> {
  const calls = partsOf({ ...reply, text: '' }).filter((part) => 'functionCall' in part);
  const texts = piecesOf(reply.text, reply.pieceCount).map((text): JsonObject[] => [{ text }]);
  const steps = [...texts, ...calls.map((call) => [call])];
  if (steps.length === 0) steps.push([{ text: '' }]);
  for (const [index, parts] of steps.entries()) yield responseOf(reply, parts, index === steps.length - 1);
}

function* eventFrames(reply: ScriptedReply): Generator<string> {
  for (const response of streamedResponses(reply)) yield serverSentEvent(response);
}

/** Without `alt=sse` a stream is one JSON list that is sent item by item. */
function* arrayFrames(reply: ScriptedReply): Generator<string> {
  let opening = '[';
  for (const response of streamedResponses(reply)) {
    yield `${opening}${JSON.stringify(response)}`;
    opening = ',\r\n';
  }
  yield ']';
}

function responseOf({ id, model, usage }: ScriptedReply, parts: readonly JsonObject[], isLast: boolean): unknown {
  const { inputTokens, outputTokens } = usage;
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(isLast && { finishReason: 'STOP' }), index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: model,
    responseId: id,
  };
}
