import { AssayError } from '../../domain/errors.ts';
import { totalTokensOf, type Usage } from '../../domain/usage.ts';
import { counted } from '../../shared/format.ts';
import { noPrice, type Reservation, Spending } from '../models/spending.ts';
import type { ReceivedRequest } from '../wire/codec.ts';
import { mostInputTokens } from './token-estimate.ts';

/** Set for a reply without its own limit, where spending is limited; small enough for the models in use. */
const usualOutputTokens = 16_384;
/** An answer that could not be longer than this is not worth a request, unless the agent wants a shorter one. */
const fewestOutputTokens = 1_024;

/** Providers keep the beginning of a conversation at least this long after it was last read. */
const cacheLifetimeMs = 240_000;

/** The last call of a conversation. */
interface EarlierCall {
  readonly body: Buffer;
  readonly inputTokens: number;
  /** Tokens that it read from the cache of the provider, which the next call reads as well. */
  readonly cachedTokens: number;
  readonly endedAtMs: number;
}

/** Tokens of a request at most, and how many of them the provider has in its cache. */
interface MostInput {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
}

/** The limits that calls of one trial must keep. */
export interface CallLimits {
  /** Of the trial, in US dollars. */
  readonly maxUsd?: number | undefined;
  /** Of the trial: nothing is sent when so many tokens are used. */
  readonly maxTokens?: number | undefined;
  /** Limit that all trials of a run share. */
  readonly run?: Pick<Spending, 'reserve' | 'settle' | 'leftUsd' | 'limitUsd' | 'add'> | undefined;
  costOf(model: string, usage: Usage): number | undefined;
}

/** A call that is about to be sent. */
interface PlannedCall {
  /** Names under which its price may be listed, the best first. */
  readonly models: readonly [string, ...string[]];
  readonly request: ReceivedRequest;
  readonly body: Buffer;
  readonly thread: number;
}

/** Permit to send a call. */
interface CallPermit {
  /** Set where the reply must not be longer than this. */
  readonly maxOutputTokens: number | undefined;
  /** To be called when the call is over; null where it is unknown what it used. */
  settle(usage: Usage | null, mayBeBilled: boolean): void;
}

/** Sets money aside for calls before they are sent, and refuses those that could pass a limit. */
export class Allowance {
  readonly #limits: CallLimits;
  readonly #trial: Spending;
  readonly #earlier = new Map<number, EarlierCall>();
  #tokens = 0;
  #largestCall = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
    this.#trial = new Spending(limits.maxUsd);
  }

  /** Whether calls have to be read before they are sent. */
  get isLimited(): boolean {
    return this.#isMoneyLimited || this.#limits.maxTokens !== undefined;
  }

  get #isMoneyLimited(): boolean {
    return this.#limits.maxUsd !== undefined || this.#limits.run?.limitUsd !== undefined;
  }

  /** Throws an AssayError for a call that could pass a limit. */
  async reserve(call: PlannedCall, signal: AbortSignal): Promise<CallPermit> {
    this.#assertTokensLeft();
    if (!this.#isMoneyLimited) {
      return {
        maxOutputTokens: undefined,
        settle: (usage) => this.#note(call, usage, this.costOf(call.models, usage)),
      };
    }
    for (;;) {
      const { mostUsd, maxOutputTokens } = this.#plan(call);
      const reserved = await this.#setAside(mostUsd, call.models[0], signal);
      // Other calls have used up what was there when this one was planned.
      if (!reserved) continue;
      return {
        maxOutputTokens: maxOutputTokens === call.request.maxOutputTokens ? undefined : maxOutputTokens,
        settle: (usage, mayBeBilled) => {
          reserved.settle(usage ? (this.costOf(call.models, usage) ?? null) : mayBeBilled ? null : 0);
          this.#note(call, usage);
        },
      };
    }
  }

  /** Permit for a call that costs nothing; its tokens count all the same. */
  free(call: PlannedCall): CallPermit {
    this.#assertTokensLeft();
    return { maxOutputTokens: undefined, settle: (usage) => this.#note(call, usage) };
  }

  /** Undefined where calls in flight have left too little. */
  async #setAside(mostUsd: number, name: string, signal: AbortSignal) {
    const { run } = this.#limits;
    let own: Reservation | undefined;
    try {
      own = await this.#trial.reserve(mostUsd, name, signal);
      const [ofTrial, ofRun] = [own, await run?.reserve(mostUsd, name, signal)];
      return {
        settle: (usd: number | null): void => {
          this.#trial.settle(ofTrial, usd);
          if (ofRun) run?.settle(ofRun, usd);
        },
      };
    } catch (error) {
      if (own) this.#trial.settle(own, 0);
      if (error instanceof AssayError) return undefined;
      throw error;
    }
  }

  /** Cost of a call by the first of its names that has a price. */
  costOf(models: readonly string[], usage: Usage | null): number | undefined {
    if (usage === null) return undefined;
    for (const model of models) {
      const usd = this.#limits.costOf(model, usage);
      if (usd !== undefined) return usd;
    }
    return undefined;
  }

  /** The most that a call can cost, with its reply cut down to what is left where that is still worth sending. */
  #plan(call: PlannedCall): { readonly mostUsd: number; readonly maxOutputTokens: number } {
    const { models, request } = call;
    const { inputTokens, cachedInputTokens } = this.#mostInput(call);
    const usdFor = (outputTokens: number): number => {
      const usage = { inputTokens, cachedInputTokens, outputTokens };
      const fresh = this.costOf(models, usage);
      const written = this.costOf(models, { ...usage, cacheWriteInputTokens: inputTokens - cachedInputTokens });
      if (fresh === undefined || written === undefined) throw noPrice(models[0]);
      return Math.max(fresh, written);
    };
    const wanted = request.maxOutputTokens ?? usualOutputTokens;
    if (usdFor(wanted) <= this.#leftUsd) return { mostUsd: usdFor(wanted), maxOutputTokens: wanted };
    const least = Math.max(request.leastOutputTokens, Math.min(wanted, fewestOutputTokens));
    const perToken = (usdFor(wanted) - usdFor(0)) / Math.max(1, wanted);
    const affordable = Math.floor((this.#leftUsd - usdFor(0)) / perToken);
    if (!(affordable >= least) || usdFor(least) > this.#leftUsd) throw this.#refusal(usdFor(least));
    // Rounding must not make a difference.
    const maxOutputTokens = usdFor(affordable) <= this.#leftUsd ? affordable : least;
    return { mostUsd: usdFor(maxOutputTokens), maxOutputTokens };
  }

  /** A conversation grows at its end, so of a known beginning only the new part is uncertain, and some of it is cached. */
  #mostInput({ body, thread, request }: PlannedCall): MostInput {
    const stored = request.continuesStored ? this.#largestCall : 0;
    const before = this.#earlier.get(thread);
    const ofAll = mostInputTokens(body.toString('utf8'));
    if (before === undefined) return { inputTokens: ofAll + stored, cachedInputTokens: 0 };
    const grown = mostInputTokens(changedPart(before.body, body).toString('utf8')) + before.inputTokens;
    const isCached = performance.now() - before.endedAtMs < cacheLifetimeMs;
    const inputTokens = Math.min(ofAll, grown) + stored;
    return { inputTokens, cachedInputTokens: isCached ? Math.min(before.cachedTokens, inputTokens) : 0 };
  }

  get #leftUsd(): number {
    return Math.min(this.#trial.leftUsd, this.#limits.run?.leftUsd ?? Number.POSITIVE_INFINITY);
  }

  #note({ thread, body }: PlannedCall, usage: Usage | null, unlimitedUsd?: number): void {
    if (unlimitedUsd !== undefined) this.#limits.run?.add(unlimitedUsd);
    if (usage === null) return;
    const { inputTokens, outputTokens = 0, cachedInputTokens: cachedTokens = 0 } = usage;
    const tokens = totalTokensOf(usage) ?? (inputTokens ?? mostInputTokens(body.toString('utf8'))) + outputTokens;
    this.#tokens += tokens;
    this.#largestCall = Math.max(this.#largestCall, tokens);
    if (inputTokens === undefined) return;
    const endedAtMs = performance.now();
    if (this.isLimited) this.#earlier.set(thread, { body, inputTokens, cachedTokens, endedAtMs });
    const [oldest] = this.#earlier.keys();
    if (this.#earlier.size > mostThreads && oldest !== undefined) this.#earlier.delete(oldest);
  }

  #assertTokensLeft(): void {
    const { maxTokens } = this.#limits;
    if (maxTokens === undefined || this.#tokens < maxTokens) return;
    const message = `The agent was stopped after ${counted(this.#tokens, 'token')}, at a limit of ${counted(maxTokens, 'token')} for one trial.`;
    throw new AssayError('MODEL_BUDGET_REACHED', message, { hint: 'Raise `cost.max_tokens` of the scenario.' });
  }

  #refusal(mostUsd: number): AssayError {
    const { maxUsd, run } = this.#limits;
    const isOfTrial = maxUsd !== undefined && this.#trial.leftUsd <= (run?.leftUsd ?? Number.POSITIVE_INFINITY);
    const limit = isOfTrial ? `a limit of ${money(maxUsd)} for one trial` : 'the limit for the whole run';
    const left = money(Math.max(0, this.#leftUsd));
    const message = `The agent was stopped after ${money(this.#trial.spentUsd)}: its next request could cost ${money(mostUsd)}, and ${limit} leaves ${left}.`;
    return new AssayError('MODEL_BUDGET_REACHED', message, {
      hint: isOfTrial ? 'Raise `cost.max_usd` of the scenario, or use a cheaper model.' : undefined,
    });
  }
}

const mostThreads = 16;

/** The part of a text that is neither in the beginning nor in the end that it shares with an earlier one. */
function changedPart(before: Buffer, now: Buffer): Buffer {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  return now.subarray(start, now.length - end);
}

function money(usd: number): string {
  return usd < 0.01 && usd > 0 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}
