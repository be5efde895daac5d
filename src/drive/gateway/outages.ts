import { AssayError } from '../../domain/errors.ts';
import { formatDuration } from '../../shared/format.ts';
import { classifyProviderError } from '../agents/classify-provider-error.ts';

/** A model that has not sent anything for this long is taken to be out of order. */
const longestSilenceMs = 60_000;

/** Whether the provider has failed the agent, by the last call of its main conversation. */
export class Outages {
  #last: { readonly message: string; readonly status: number | null } | undefined;
  #wasInjected = false;
  #silence: { readonly silentMs: number; readonly timeoutMs: number } | undefined;

  /** To be called after each call of the main conversation; an error is undefined where the reply was good. */
  note(error: string | undefined, status: number | null, isInjected = false): void {
    this.#wasInjected = error !== undefined && isInjected;
    this.#last = error === undefined || isInjected ? undefined : { message: error, status };
  }

  /** Whether Assay broke the last call: how the agent ended then says nothing about its provider. */
  get wasInjected(): boolean {
    return this.#wasInjected;
  }

  /** To be called when the time of the trial is up, with how long an open call has been silent. */
  timeIsUp(silentMs: number | undefined, timeoutMs: number): void {
    if (silentMs !== undefined) this.#silence = { silentMs, timeoutMs };
  }

  /** The fault of the provider from which the agent did not recover; undefined where there is none. */
  fault(timedOut: boolean): AssayError | undefined {
    if (timedOut && this.#silence) {
      const { silentMs, timeoutMs } = this.#silence;
      if (silentMs < Math.min(longestSilenceMs, timeoutMs / 2)) return undefined;
      const silence = `the last ${formatDuration(silentMs)} of ${formatDuration(timeoutMs)}`;
      return new AssayError('MODEL_TIMEOUT', `The agent's model did not answer: it sent nothing in ${silence}.`, {
        hint: 'Check that the provider answers; raise `run.timeout_secs` if the model needs that long for one answer.',
      });
    }
    if (!this.#last) return undefined;
    const { message, status } = this.#last;
    const code = classifyProviderError(message, { status: status ?? undefined, isProviders: true });
    return code && new AssayError(code, `The agent's model could not be used: ${message}`);
  }
}
