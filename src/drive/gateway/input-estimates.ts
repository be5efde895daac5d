import { totalTokensOf, type Usage } from '../../domain/usage.ts';
import type { ReceivedRequest } from '../wire/codec.ts';
import { mostInputTokens, mostTokens } from './token-estimate.ts';

/** A call that is about to be sent. */
export interface PlannedCall {
  /** Names under which its price may be listed, the best first. */
  readonly models: readonly [string, ...string[]];
  readonly request: ReceivedRequest;
  readonly body: Buffer;
  readonly thread: number;
}

/** Tokens of a request at most, and how many of them the provider has in its cache. */
export interface MostInput {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
}

/** The last call of a conversation. */
interface EarlierCall {
  readonly body: Buffer;
  readonly inputTokens: number;
  /** Tokens that it read from the cache of the provider, which the next call reads as well. */
  readonly cachedTokens: number;
  readonly endedAtMs: number;
}

/** Providers keep the beginning of a conversation at least this long after it was last read. */
const cacheLifetimeMs = 240_000;
const mostThreads = 16;
/** Tokens that providers add to new messages by themselves. */
const messageTokens = 100;

/** Bounds the input of calls. A conversation grows at its end, so only the new part is uncertain, and some of it is cached. */
export class InputEstimates {
  readonly #earlier = new Map<number, EarlierCall>();
  #largestCall = 0;

  of({ body, thread, request }: PlannedCall): MostInput {
    const stored = request.continuesStored ? this.#largestCall : 0;
    const before = this.#earlier.get(thread);
    const ofAll = mostInputTokens(body.toString('utf8'));
    if (before === undefined) return { inputTokens: ofAll + stored, cachedInputTokens: 0 };
    const added = mostTokens(changedPart(before.body, body).toString('utf8')) + messageTokens;
    const grown = before.inputTokens + Math.ceil(added);
    const isCached = performance.now() - before.endedAtMs < cacheLifetimeMs;
    const inputTokens = Math.min(ofAll, grown) + stored;
    return { inputTokens, cachedInputTokens: isCached ? Math.min(before.cachedTokens, inputTokens) : 0 };
  }

  /** Takes the tokens that the provider counted for a call. */
  note({ thread, body }: PlannedCall, usage: Usage): void {
    const { inputTokens, cachedInputTokens: cachedTokens = 0 } = usage;
    this.#largestCall = Math.max(this.#largestCall, totalTokensOf(usage) ?? mostInputTokens(body.toString('utf8')));
    if (inputTokens === undefined) return;
    this.#earlier.set(thread, { body, inputTokens, cachedTokens, endedAtMs: performance.now() });
    const [oldest] = this.#earlier.keys();
    if (this.#earlier.size > mostThreads && oldest !== undefined) this.#earlier.delete(oldest);
  }
}

/** The part of a text that is neither in the beginning nor in the end that it shares with an earlier one. */
function changedPart(before: Buffer, now: Buffer): Buffer {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  return now.subarray(start, now.length - end);
}
