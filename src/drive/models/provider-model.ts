import { AssayError } from '../../domain/errors.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { Clock } from '../pacing/clock.ts';
import type { WireReply } from '../wire/codec.ts';
import { endless } from '../wire/finish.ts';
import { argumentValue, callsOf, textOf } from '../wire/values.ts';
import { ReplyPending } from './batch/batched-calls.ts';
import { type Model, ModelFailure, type ModelReply, type ModelRequest } from './model.ts';
import { costUsd, type Price } from './prices.ts';
import type { Connection, EmbeddingModel, ReplyModel } from './provider.ts';
import { classifyFailure } from './provider-errors.ts';
import type { ResolvedModel } from './resolve-model.ts';

type EmbeddingResult = Awaited<ReturnType<EmbeddingModel['embed']>>;

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

function noEmbeddings(name: string): AssayError {
  return new AssayError('MODEL_BAD_REQUEST', `${name} cannot make embeddings: the provider offers none.`, {
    hint: 'Name another model, such as openai/text-embedding-3-small.',
  });
}

interface ReplyContext {
  /** The requested model. */
  readonly model: string;
  readonly price: Price | null;
  readonly latencyMs: number;
}

function readReply(reply: WireReply, { model, price, latencyMs }: ReplyContext): ModelReply {
  const { parts, usage = {}, unplaced } = reply;
  const gaps = reply.finish === undefined ? [...unplaced, endless] : unplaced;
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
    ...(gaps.length > 0 && { gaps }),
  };
}

/** Vectors that cannot be compared are a broken answer, whatever the status was. */
function readEmbeddings({ vectors, inputTokens }: EmbeddingResult, count: number, context: ReplyContext): ModelReply {
  const size = vectors[0]?.length ?? 0;
  const isUsable = (vector: readonly number[]): boolean =>
    vector.length === size && vector.every(Number.isFinite) && vector.some((figure) => figure !== 0);
  if (vectors.length !== count || !vectors.every(isUsable)) {
    throw new Error(`${count} embeddings of one length were requested, and ${vectors.filter(isUsable).length} came`);
  }
  const used = inputTokens === undefined ? {} : { inputTokens, outputTokens: 0 };
  const { price, latencyMs, model } = context;
  return {
    ...{ text: '', toolCalls: [], finishReason: 'stop', vectors },
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
  connect(): Promise<Connection>;
  price(): Promise<Price | null>;
  readonly redact: Redact;
  readonly clock: Clock;
}

/** A model as its provider answers: one request, one attempt. */
export function providerModel({ name, model, provider }: ResolvedModel, parts: ProviderModelParts): Model {
  let connecting: Promise<Connection> | undefined;
  let opened: ReplyModel | undefined;
  let openedEmbedding: EmbeddingModel | undefined;
  /** Loads what the request needs, and gives the function that sends it. */
  const open = async (request: ModelRequest): Promise<Send> => {
    connecting ??= parts.connect();
    const connection = await connecting;
    if (!connection.config.images) refuseFiles(request, name);
    const { embed } = request;
    if (embed === undefined) {
      opened ??= provider.open(model, connection);
      const reply = opened.send;
      return async (signal) => {
        const received = await reply(request, signal);
        return (context) => readReply(received, context);
      };
    }
    openedEmbedding ??= provider.openEmbedding?.(model, connection);
    if (!openedEmbedding) throw noEmbeddings(name);
    const vectors = openedEmbedding.embed;
    return async (signal) => {
      const received = await vectors(embed, signal);
      return (context) => readEmbeddings(received, embed.length, context);
    };
  };
  return {
    name,
    async generate(request, signal, unanswered) {
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
        if (thrown instanceof ReplyPending) {
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
