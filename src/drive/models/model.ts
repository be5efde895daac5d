import type { UnansweredRequests } from '../../domain/costs.ts';
import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import type { Usage } from '../../domain/usage.ts';
import type { ModelFile } from '../attachments/attached-file.ts';
import type { WaitClock } from '../pacing/clock.ts';
import type { Finish } from '../wire/codec.ts';

/** One message of a conversation with a model. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string; readonly files?: readonly ModelFile[] | undefined }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] | undefined }
  | { readonly role: 'tool'; readonly callId: string; readonly tool: string; readonly content: string };

/** A tool that a model wants called. */
export interface ModelToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A tool as it is offered to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Everything that a reply depends on; the same request to the same model is the same call. */
export interface ModelRequest {
  readonly system?: string | undefined;
  /** Other requests have the same system text: providers whose caches need a mark get one. */
  readonly repeatsSystem?: boolean | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  /** The reply must be JSON of this schema; providers that can enforce it do. */
  readonly output?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> } | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Distinguishes samples of one request; never sent to a provider without seeds. */
  readonly seed?: number | undefined;
  /** Texts to make embeddings of, instead of a reply to messages. */
  readonly embed?: readonly string[] | undefined;
}

/** The answer of a model. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: Finish;
  /** Without the parts that the provider did not report. */
  readonly usage: Usage;
  /** Parts of the reply that could not be placed; absent where there are none. */
  readonly gaps?: readonly Loss[] | undefined;
  /** Null when no price is known for the model, or not all of its tokens are. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** The model as the provider named it in its answer. */
  readonly respondedAs: string;
  /** True when the reply comes from a recording. */
  readonly isReplayed: boolean;
  /** The embeddings of a request for them, in its order. */
  readonly vectors?: readonly (readonly number[])[] | undefined;
}

/**
 * A model that can be prompted. Rejects with an AssayError whose code begins with MODEL_ or REPLAY_, or is INTERRUPTED
 * when the signal was given.
 */
export interface Model {
  /** `provider/model`. */
  readonly name: string;
  /** Who answers, as configured: provider and address. */
  readonly server?: string | undefined;
  /** Requests to the provider that got no reply are counted in `unanswered`, also when a later one did. */
  generate(
    request: ModelRequest,
    signal: AbortSignal,
    unanswered?: UnansweredRequests,
    /** Stands still while the call waits for a rate limit. */
    clock?: WaitClock,
  ): Promise<ModelReply>;
}

/** The models of a project: named `provider/model`, or by a bare well-known name such as `gpt-4o`. */
export interface Models extends AsyncDisposable {
  /** Rejects with MODEL_NO_KEY, naming the variable to set, when the model is not available. */
  find(name: string): Promise<Model>;
  /** Cost of all calls so far; a replayed one costs nothing. */
  spentUsd(): number;
}

/** The facts about a failed attempt that retries, breaker and spending need. */
export interface FailureTraits {
  readonly retry: 'never' | 'once' | 'always';
  /** How long the provider asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** True when no connection came about, so nothing was sent. */
  readonly isUnreachable?: boolean | undefined;
  /** False when the provider works and refuses this request or this key. */
  readonly isProvidersFault: boolean;
  /** True when the provider may have done the work although its answer never came. */
  readonly mayBeBilled: boolean;
}

/** One failed attempt to ask a model. */
export class ModelFailure extends AssayError {
  readonly traits: FailureTraits;

  constructor(code: ErrorCode, message: string, traits: FailureTraits) {
    super(code, message);
    this.traits = traits;
  }
}
