import { AssayError } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { Clock } from '../pacing/clock.ts';
import type { WireReply } from '../wire/codec.ts';
import { endless } from '../wire/finish.ts';
import { argumentValue, callsOf, textOf } from '../wire/values.ts';
import type { Model, ModelReply, ModelRequest } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { costUsd, type Price } from './prices.ts';
import type { EmbeddingModel, ReplyModel } from './provider.ts';
import { classifyFailure } from './provider-errors.ts';
import type { ResolvedModel } from './resolve-model.ts';

type EmbeddingResult = Awaited<ReturnType<EmbeddingModel['doEmbed']>>;

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

function readReply(reply: WireReply, { model, price, latencyMs }: ReplyContext): ModelReply {
  const { parts, usage = {}, unplaced } = reply;
  return {
    text: textOf(parts),
    toolCalls: callsOf(parts).map((call) => ({ callId: call.callId, tool: call.tool, input: argumentValue(call) })),
    finishReason: reply.finish ?? 'other',
    usage,
    // Without usage the cost of the call is unknown.
    costUsd: price && costUsd(price, usage),
    latencyMs,
    respondedAs: reply.model ?? model,
    isReplayed: false,
    ...gapsOf(reply.finish === undefined ? [...unplaced, endless] : unplaced),
  };
}

function gapsOf(gaps: readonly Loss[]): Pick<ModelReply, 'gaps'> {
  return gaps.length > 0 ? { gaps } : {};
}

/** Vectors that cannot be compared are a broken answer, whatever the status was. */
function readEmbeddings({ embeddings, usage }: EmbeddingResult, count: number, context: ReplyContext): ModelReply {
  const size = embeddings[0]?.length ?? 0;
  const isUsable = (vector: readonly number[]): boolean =>
    vector.length === size && vector.every(Number.isFinite) && vector.some((figure) => figure !== 0);
  if (embeddings.length !== count || !embeddings.every(isUsable)) {
    throw new Error(`${count} embeddings of one length were requested, and ${embeddings.filter(isUsable).length} came`);
  }
  const used = usage ? { inputTokens: usage.tokens, outputTokens: 0 } : {};
  const { price, latencyMs, model } = context;
  return {
    ...{ text: '', toolCalls: [], finishReason: 'stop', vectors: embeddings },
    usage: used,
    costUsd: price && costUsd(price, used),
    latencyMs,
    respondedAs: model,
    isReplayed: false,
  };
}

/** Sends a request, and gives the function that reads the answer. */
type Send = (signal: AbortSignal) => Promise<(context: ReplyContext) => ModelReply>;

interface ProviderModelParts {
  /** Called with the first request. */
  open(): Promise<ReplyModel>;
  /** The same for embeddings. */
  openEmbedding(): Promise<EmbeddingModel>;
  price(): Promise<Price | null>;
  /** False where the config says so. */
  readonly takesImages: boolean;
  readonly redact: Redact;
  readonly clock: Clock;
}

/** A model as its provider answers: one request, one attempt. */
export function providerModel({ name, model }: ResolvedModel, parts: ProviderModelParts): Model {
  let opening: Promise<ReplyModel> | undefined;
  let openingEmbedding: Promise<EmbeddingModel> | undefined;
  /** Loads what the request needs, and gives the function that sends it. */
  const open = async (request: ModelRequest): Promise<Send> => {
    const { embed } = request;
    if (embed === undefined) {
      opening ??= parts.open();
      const opened = await opening;
      return async (signal) => {
        const reply = await opened.send(request, signal);
        return (context) => readReply(reply, context);
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
