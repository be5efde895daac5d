import type { ModelApi } from '../../../domain/trace-schema.ts';
import { isRecord } from '../../../shared/json.ts';

/** An object of JSON, nothing of which is certain. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tokens of one call, as the provider reports them. */
export interface CallUsage {
  /** All of the input, cached tokens included. */
  readonly inputTokens: number;
  /** All of the output, reasoning included. */
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** The parts of a request that the gateway records and limits. */
export interface CallRequest {
  readonly model: string;
  readonly system: string;
  /** Messages as the agent wrote them; with the system prompt they identify a request that is sent again. */
  readonly messages: readonly unknown[];
  /** Everything before the model's first words: it identifies the conversation. */
  readonly openingText: string;
  /** Everything that the model reads as text, for finding instructions in it. */
  readonly promptText: string;
  readonly tools: readonly string[];
  /** Undefined where the request sets no limit. */
  readonly maxOutputTokens: number | undefined;
  /** The provider refuses a smaller limit than this, because of the tokens for thinking. */
  readonly leastOutputTokens: number;
  /** The provider adds earlier messages that it keeps itself. */
  readonly continuesStored: boolean;
}

/** The end of a reply, as far as it arrived. */
export interface CallReply {
  readonly respondedAs: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: CallUsage | undefined;
  /** An error that came with HTTP status 200, inside the stream. */
  readonly error: string | undefined;
  /** The provider marked the end of its reply. */
  readonly isComplete: boolean;
}

/** How one API of a provider is read. */
export interface WireApi {
  readonly name: ModelApi;
  /** Whether a POST to this path is a request for a reply. */
  isCall(pathname: string): boolean;
  read(body: JsonObject, pathname: string): CallRequest;
  /** The same request for another model. */
  withModel(
    body: JsonObject,
    pathname: string,
    model: string,
  ): { readonly body: JsonObject; readonly pathname: string };
  /** The same request with a limit for its reply. */
  withMaxOutputTokens(body: JsonObject, maxOutputTokens: number): JsonObject;
  /** Found in the first piece of a stream that holds a part of the answer. */
  readonly firstToken: RegExp;
  /** Whether an event of a stream may hold more than a part of the answer; most do not, and are not parsed. */
  isFact(eventData: string): boolean;
  /** The reply from its facts in order; a reply that is not streamed is one fact. */
  readReply(facts: readonly JsonObject[]): CallReply;
}

/** A text, or nothing. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; anything else is passed over. */
export function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** An object, or an empty one. */
export function recordIn(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** A number of tokens; undefined for anything that cannot be one. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The text of a message: itself, or that of its parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsIn(content)
    .flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

/** Optional counts without those that are zero or unknown. */
export function someCounts<Key extends string>(
  counts: Readonly<Record<Key, number | undefined>>,
): { [K in Key]?: number } {
  const entries = Object.entries<number | undefined>(counts).filter(([, count]) => count !== undefined && count > 0);
  return Object.fromEntries(entries) as { [K in Key]?: number };
}

/** Tokens of a reply; undefined where the number of one side is unknown. */
export function usageOf(
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  parts: Omit<NonNullable<CallReply['usage']>, 'inputTokens' | 'outputTokens'>,
): CallReply['usage'] {
  return inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens, ...parts };
}

/** The messages before the first that the model wrote. */
export function openingOf(messages: readonly JsonObject[]): JsonObject[] {
  const end = messages.findIndex((message) => !isGiven(message));
  return end < 0 ? [...messages] : messages.slice(0, end);
}

/** A message that the agent's program put together: neither the model's own words nor the result of a tool. */
export function isGiven({ role, type = 'message' }: JsonObject): boolean {
  return role !== 'assistant' && role !== 'model' && role !== 'tool' && type === 'message';
}

/** A message of the system in the APIs of OpenAI, which agents send anywhere in a conversation. */
export function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}
