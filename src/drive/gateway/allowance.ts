import type { Usage } from '../../domain/usage.ts';
import type { Reservation } from '../models/reserved-amount.ts';
import { noPrice } from '../models/spending.ts';
import { InputEstimates, type MostInput, type PlannedCall } from './input-estimates.ts';
import { type CallLimits, costOfCall, openPurses, type Purse } from './purses.ts';

/** Set for a reply without its own limit, where spending is limited; small enough for the models in use. */
const usualOutputTokens = 16_384;
/** An answer that could not be longer than this is not worth a request, unless the agent wants a shorter one. */
const fewestOutputTokens = 1_024;

/** Where a reply comes from. One from a recording costs nothing; one from the tape of its trial was paid before. */
export type ReplyOrigin = 'provider' | 'recording' | 'trial';

/** Permit to send a call. */
export interface CallPermit {
  /** Set where the reply must not be longer than this. */
  readonly maxOutputTokens: number | undefined;
  /** Throws an AssayError when a reply that has come this far passes a limit; undefined where there is none to pass. */
  readonly assertCovers: ((soFar: Usage) => void) | undefined;
  /** To be called when the call is over; null where it is unknown what it used. */
  settle(usage: Usage | null, mayBeBilled: boolean): void;
}

/** The parts of all limits that are set aside for one call. */
type Held = readonly (readonly [Purse, Reservation])[];

/** Sets money and tokens aside for calls before they are sent, and refuses those that could pass a limit. */
export class Allowance {
  readonly #limits: CallLimits;
  readonly #purses: readonly Purse[];
  readonly #inputs = new InputEstimates();

  constructor(limits: CallLimits) {
    this.#limits = limits;
    this.#purses = openPurses(limits);
  }

  /** Whether calls have to be read before they are sent. */
  get isLimited(): boolean {
    return this.#purses.length > 0;
  }

  /** Throws an AssayError for a call that could pass a limit. */
  async reserve(call: PlannedCall, signal: AbortSignal, origin: ReplyOrigin = 'provider'): Promise<CallPermit> {
    if (origin === 'trial') return this.#paidBefore(call);
    const isReplayed = origin === 'recording';
    const purses = this.#purses.filter(({ isMoney }) => !(isMoney && isReplayed));
    for (;;) {
      const input = this.#inputs.of(call);
      const wanted = call.request.maxOutputTokens ?? usualOutputTokens;
      const outputTokens = Math.min(wanted, ...purses.map((purse) => longestReply(purse, call, input, wanted)));
      const held = await setAside(purses, call, input, outputTokens, signal);
      // Other calls have used up what was there when this one was planned.
      if (!held) continue;
      const isSet = held.length > 0 && outputTokens !== call.request.maxOutputTokens;
      return {
        maxOutputTokens: isSet ? outputTokens : undefined,
        assertCovers: held.length > 0 ? (soFar) => assertCovers(held, call, input, soFar) : undefined,
        settle: (usage, mayBeBilled) => {
          this.#settle(call, held, usage, mayBeBilled);
          if (!isReplayed) this.#count(call, usage);
        },
      };
    }
  }

  /** Counts, and is not refused: it was within the limits when it was sent. */
  #paidBefore(call: PlannedCall): CallPermit {
    const settle: CallPermit['settle'] = (usage, mayBeBilled) => {
      this.#settle(
        call,
        this.#purses.map((purse) => [purse, { most: 0 }] as const),
        usage,
        mayBeBilled,
      );
      this.#count(call, usage);
    };
    return { maxOutputTokens: undefined, assertCovers: undefined, settle };
  }

  costOf(models: readonly string[], usage: Usage | null): number | undefined {
    return usage === null ? undefined : costOfCall(this.#limits.costOf, models, usage);
  }

  #settle(call: PlannedCall, held: Held, usage: Usage | null, mayBeBilled: boolean): void {
    for (const [purse, reservation] of held) {
      const part = usage === null ? undefined : purse.partOf(call.models, usage);
      purse.settle(reservation, part ?? (usage !== null || mayBeBilled ? null : 0));
    }
    if (usage !== null && this.isLimited) this.#inputs.note(call, usage);
  }

  /** A run without a limit counts its costs all the same. */
  #count({ models }: PlannedCall, usage: Usage | null): void {
    const { run } = this.#limits;
    if (run?.limitUsd === undefined) run?.add(this.costOf(models, usage) ?? 0);
  }
}

/** The longest reply that a limit leaves room for; throws where that is not worth a request. */
function longestReply(purse: Purse, call: PlannedCall, input: MostInput, wanted: number): number {
  const { left } = purse.amount;
  const most = (ofReply: number): number => mostOf(purse, call, input, ofReply * call.request.replyCount);
  if (most(wanted) <= left) return wanted;
  const least = Math.max(call.request.leastOutputTokens, Math.min(wanted, fewestOutputTokens));
  const perToken = (most(wanted) - most(0)) / Math.max(1, wanted);
  const affordable = Math.floor((left - most(0)) / perToken);
  if (!(affordable >= least) || most(least) > left) throw purse.refusal(most(least));
  // Rounding must not make a difference.
  return most(affordable) <= left ? affordable : least;
}

/** The most of a limit that a call can use; new input may be written to the cache of the provider, which has its own price. */
function mostOf(purse: Purse, { models }: PlannedCall, input: MostInput, outputTokens: number): number {
  const usage = { ...input, outputTokens };
  const cacheWriteInputTokens = input.inputTokens - input.cachedInputTokens;
  const fresh = purse.partOf(models, usage);
  const written = purse.partOf(models, { ...usage, cacheWriteInputTokens });
  if (fresh === undefined || written === undefined) throw noPrice(models[0]);
  return Math.max(fresh, written);
}

/** Undefined where calls in flight have left too little of a limit. */
async function setAside(
  purses: readonly Purse[],
  call: PlannedCall,
  input: MostInput,
  outputTokens: number,
  signal: AbortSignal,
): Promise<Held | undefined> {
  const held: [Purse, Reservation][] = [];
  try {
    for (const purse of purses) {
      const reservation = await purse.amount.setAside(
        mostOf(purse, call, input, outputTokens * call.request.replyCount),
        signal,
      );
      if (!reservation) break;
      held.push([purse, reservation]);
    }
    return held.length === purses.length ? held : undefined;
  } finally {
    if (held.length < purses.length) for (const [purse, reservation] of held) purse.settle(reservation, 0);
  }
}

/** A reply may be longer than was set aside for it, as long as the limits leave more. */
function assertCovers(held: Held, call: PlannedCall, input: MostInput, soFar: Usage): void {
  const { outputTokens = 0 } = soFar;
  for (const [purse, reservation] of held) {
    const counted = soFar.inputTokens === undefined ? undefined : purse.partOf(call.models, { ...soFar, outputTokens });
    const reached = counted ?? mostOf(purse, call, input, outputTokens);
    if (!purse.amount.extend(reservation, reached)) throw purse.cut(reached);
  }
}
