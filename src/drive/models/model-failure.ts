import { AssayError, type ErrorCode } from '../../domain/errors.ts';

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
