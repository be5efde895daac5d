/** Words of an attempt that the judge rests its answer on. */
export interface PairQuote {
  /** Null where the judge named an event of neither attempt. */
  readonly side: 'a' | 'b' | null;
  readonly event: string;
  readonly quote: string;
  /** Whether the event has these words. */
  readonly isVerified: boolean;
}

/** Answer of the judge to the attempts in one order. */
export interface ShownOrder {
  readonly first: 'a' | 'b';
  readonly preferred: 'a' | 'b' | 'tie' | 'cannot-tell';
  readonly reason: string;
  readonly quotes: readonly PairQuote[];
}

/** Which of two attempts at one case a judge prefers, prompted in both orders. */
export interface JudgedPair {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Readonly<Record<string, string>>;
  readonly trialA: string;
  readonly trialB: string;
  /** `order-dependent`: the judge preferred a place and not an attempt. */
  readonly winner: 'a' | 'b' | 'tie' | 'order-dependent' | 'not-judged';
  readonly reason: string;
  /** Empty where no model was prompted, because a side had failed already or could not be shown. */
  readonly orders: readonly ShownOrder[];
  readonly costUsd: number | null;
}
