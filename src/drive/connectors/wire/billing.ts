import { HttpFailure } from '../../../shared/http/http-failure.ts';
import { isRecord } from '../../../shared/json.ts';

/** An answer whose status says that the request was not carried out as asked. */
export class StatusFailure extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

const freeCodes: ReadonlySet<unknown> = new Set([
  'TARGET_NOT_LOADED',
  'MODEL_BUDGET_REACHED',
  'MODEL_NO_PRICE',
  'CASE_INVALID',
]);

/** Whether a turn that failed may have cost something: not when it was never sent, and not when it was refused. */
export function mayHaveCost(error: unknown): boolean {
  if (isRecord(error) && freeCodes.has(error.code)) return false;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof HttpFailure) return cause.wasSent;
  if (cause instanceof StatusFailure) return cause.status >= 500 || cause.status === 408;
  return true;
}

const outputLimits = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** The most tokens that a request lets a model write, over all of its choices; undefined where it sets no limit. */
export function outputLimitIn(body: Readonly<Record<string, unknown>>): number | undefined {
  const limit = outputLimits.map((name) => body[name]).find((value) => typeof value === 'number');
  const choices = typeof body.n === 'number' && body.n > 1 ? body.n : 1;
  return limit === undefined ? undefined : limit * choices;
}
