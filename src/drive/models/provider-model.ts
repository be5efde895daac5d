import { AssayError } from '../../domain/errors.ts';
import type { Usage } from '../../domain/usage.ts';
import { jsonOrText } from '../../shared/json.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import { fileText } from '../attachments/attached-file.ts';
import type { Clock } from './clock.ts';
import type { Model, ModelFile, ModelMessage, ModelReply, ModelRequest, ModelToolCall } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { costUsd, type Price } from './prices.ts';
import type { CallOptions, CallResult, EmbeddingModel, LanguageModel, Provider } from './provider.ts';
import { classifyFailure } from './provider-errors.ts';
import type { ResolvedModel } from './resolve-model.ts';

type Prompt = CallOptions['prompt'];
type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];
type EmbeddingResult = Awaited<ReturnType<EmbeddingModel['doEmbed']>>;
type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
type ResponseFormat = Extract<NonNullable<CallOptions['responseFormat']>, { type: 'json' }>;

/** A request in the words of the SDK. */
function callOptions(request: ModelRequest, provider: Provider): CallOptions {
  const { system, messages, tools, output, temperature, maxOutputTokens, seed } = request;
  return {
    prompt: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map(toPrompt),
    ],
    ...(tools?.length && { tools: tools.map(toTool) }),
    ...(output && {
      responseFormat: { type: 'json', name: output.name, schema: output.schema as ResponseFormat['schema'] & object },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    providerOptions: provider.optionsFor(request),
  };
}

function toTool({ name, description, inputSchema }: NonNullable<ModelRequest['tools']>[number]): FunctionTool {
  return { type: 'function', name, description, inputSchema: inputSchema as FunctionTool['inputSchema'] };
}

function toPrompt(message: ModelMessage): Prompt[number] {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }, ...(message.files ?? []).map(toPart)] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          // Some providers refuse a text that is empty.
          ...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]),
          ...(message.toolCalls ?? []).map(({ callId, tool, input }) => ({
            type: 'tool-call' as const,
            toolCallId: callId,
            toolName: tool,
            input,
          })),
        ],
      };
    case 'tool': {
      const { callId: toolCallId, tool: toolName, content: value } = message;
      const part = { type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value } };
      return { role: 'tool', content: [part] };
    }
  }
}

function toPart({ name: filename, mediaType, read }: ModelFile): UserPart {
  const data = read?.() ?? new Uint8Array();
  if (mediaType === 'text/plain') return { type: 'text', text: fileText(filename, data) };
  return { type: 'file', filename, mediaType, data };
}

/** Refuses files that the config says the provider's models do not take, before anything is sent. */
function refuseFiles({ messages }: ModelRequest, name: string): void {
  const files = messages.flatMap((message) => (message.role === 'user' ? (message.files ?? []) : []));
  const refused = files.find(({ mediaType }) => mediaType !== 'text/plain');
  if (!refused) return;
  throw new ModelFailure(
    'MODEL_BAD_REQUEST',
    `${name} is not sent ${refused.name}: the config says \`images: false\` for its provider.`,
    { retry: 'never', isProvidersFault: false, mayBeBilled: false },
  );
}

interface ReplyContext {
  /** The requested model. */
  readonly model: string;
  readonly price: Price | null;
  readonly latencyMs: number;
}

/** The SDK's result as our reply. */
function readReply(result: CallResult, { model, price, latencyMs }: ReplyContext): ModelReply {
  const usage = readUsage(result);
  return {
    text: result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: result.content.flatMap((part) => (part.type === 'tool-call' ? [readToolCall(part)] : [])),
    finishReason: readFinishReason(result),
    usage: usage ?? { inputTokens: 0, outputTokens: 0 },
    // Without usage the cost of the call is unknown.
    costUsd: price && usage ? costUsd(price, usage) : null,
    latencyMs,
    respondedAs: result.response?.modelId ?? model,
    isReplayed: false,
  };
}

function readUsage({ usage }: CallResult): Usage | undefined {
  const { total: inputTokens, cacheRead = 0 } = usage.inputTokens;
  const { total: outputTokens } = usage.outputTokens;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, ...(cacheRead > 0 && { cachedInputTokens: cacheRead }) };
}

type ToolCallPart = Extract<CallResult['content'][number], { type: 'tool-call' }>;

/** An input that is not JSON is the model's mistake, and is kept as the model wrote it. */
function readToolCall({ toolCallId: callId, toolName: tool, input }: ToolCallPart): ModelToolCall {
  return { callId, tool, input: input === '' ? {} : jsonOrText(input) };
}

function readFinishReason({ finishReason, content }: CallResult): ModelReply['finishReason'] {
  if (finishReason.unified === 'error') return 'other';
  const hasToolCalls = content.some((part) => part.type === 'tool-call');
  // Some servers say `stop` although they ask for tools.
  return finishReason.unified === 'stop' && hasToolCalls ? 'tool-calls' : finishReason.unified;
}

/** Vectors that cannot be compared are a broken answer, whatever the status was. */
function readEmbeddings({ embeddings, usage }: EmbeddingResult, count: number, context: ReplyContext): ModelReply {
  const size = embeddings[0]?.length ?? 0;
  const isUsable = (vector: readonly number[]): boolean =>
    vector.length === size && vector.every(Number.isFinite) && vector.some((figure) => figure !== 0);
  if (embeddings.length !== count || !embeddings.every(isUsable)) {
    throw new Error(`${count} embeddings of one length were requested, and ${embeddings.filter(isUsable).length} came`);
  }
  const used = usage && { inputTokens: usage.tokens, outputTokens: 0 };
  const { price, latencyMs, model } = context;
  return {
    ...{ text: '', toolCalls: [], finishReason: 'stop', vectors: embeddings },
    usage: used ?? { inputTokens: 0, outputTokens: 0 },
    costUsd: price && used ? costUsd(price, used) : null,
    latencyMs,
    respondedAs: model,
    isReplayed: false,
  };
}

/** Sends a request, and gives the function that reads the answer. */
type Send = (signal: AbortSignal) => Promise<(context: ReplyContext) => ModelReply>;

interface ProviderModelParts {
  /** Loads the SDK; called with the first request. */
  open(): Promise<LanguageModel>;
  /** The same for embeddings. */
  openEmbedding(): Promise<EmbeddingModel>;
  price(): Promise<Price | null>;
  /** False where the config says so. */
  readonly takesImages: boolean;
  readonly redact: Redact;
  readonly clock: Clock;
}

/** A model as its provider answers: one request, one attempt. */
export function providerModel({ name, provider, model }: ResolvedModel, parts: ProviderModelParts): Model {
  let opening: Promise<LanguageModel> | undefined;
  let openingEmbedding: Promise<EmbeddingModel> | undefined;
  /** Loads what the request needs, and gives the function that sends it. */
  const open = async (request: ModelRequest): Promise<Send> => {
    const { embed } = request;
    if (embed === undefined) {
      opening ??= parts.open();
      const languageModel = await opening;
      return async (abortSignal) => {
        const result = await languageModel.doGenerate({ ...callOptions(request, provider), abortSignal });
        return (context) => readReply(result, context);
      };
    }
    openingEmbedding ??= parts.openEmbedding();
    const embeddingModel = await openingEmbedding;
    return async (abortSignal) => {
      const result = await embeddingModel.doEmbed({ values: [...embed], abortSignal });
      return (context) => readEmbeddings(result, embed.length, context);
    };
  };
  return {
    name,
    async generate(request, signal, unanswered) {
      if (!parts.takesImages) refuseFiles(request, name);
      const [send, price] = await Promise.all([open(request), parts.price()]);
      signal.throwIfAborted();
      const began = performance.now();
      const settle = unanswered?.begin();
      try {
        const read = await send(signal);
        const reply = read({ model, price, latencyMs: Math.round(performance.now() - began) });
        settle?.();
        return reply;
      } catch (thrown) {
        signal.throwIfAborted();
        if (isPending(thrown)) {
          settle?.();
          throw new AssayError('JUDGE_WAITING', `${name} answers in a batch.`);
        }
        const failure = classifyFailure(thrown, { name, nowMs: parts.clock.nowMs(), redact: parts.redact });
        if (!failure.traits.mayBeBilled) settle?.();
        throw failure;
      }
    },
  };
}

/** The SDK may wrap the error of `fetch`. */
function isPending(thrown: unknown): boolean {
  for (let at = thrown; at instanceof Error; at = at.cause) if (at.name === 'ReplyPending') return true;
  return false;
}
