import type { Usage } from '../../domain/usage.ts';

/** A request to the API of a provider that a target sends itself. */
export interface PaidRequest {
  /** As the table of prices names it. */
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
  /** Everything that the model reads; no tokeniser makes more tokens than there are bytes. */
  readonly inputBytes: number;
  /** The most that the model may write; undefined where the request sets no limit. */
  readonly maxOutputTokens: number | undefined;
}

/** How an answer is paid for. */
export interface Payment<Answer> {
  send(): Promise<Answer>;
  /** Undefined where the answer does not report it. */
  usageOf(answer: Answer): Usage | undefined;
  /** Whether a request that failed may be billed all the same. */
  mayBeBilled(error: unknown): boolean;
}

/** The money of a run: everything that targets spend beside the models of the run counts here, under the same limit. */
export interface Account {
  /** Under a limit a request must bound its answer; undefined where there is no limit. */
  readonly outputTokensUnderLimit: number | undefined;
  /** Sends a request; under a limit, the most that it can cost is set aside first. The cost is null where it is unknown. */
  pay<Answer>(
    request: PaidRequest,
    payment: Payment<Answer>,
    signal: AbortSignal,
  ): Promise<{ readonly answer: Answer; readonly costUsd: number | null }>;
  /** Refuses further spending when nothing is left. */
  assertLeft(): void;
  /** Counts a cost that an agent reported. */
  add(usd: number): void;
}

/** The account of a run, loaded when something is to be paid. */
export interface AccountSource {
  readonly isLimited: boolean;
  open(): Promise<Account>;
}
