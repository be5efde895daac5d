import type { CallAnswer } from './module-worker-messages.ts';
import { messageOf } from './thrown-value.ts';

/** Characters of JSON that a returned value may have. */
const resultLimit = 10_000_000;

/** A returned value as JSON text; a function that returns nothing has answered without a result. */
export function encodeResult(value: unknown): Pick<CallAnswer, 'result' | 'unusable'> {
  if (value === undefined) return { result: undefined };
  try {
    const result = JSON.stringify(value) as string | undefined;
    if (result === undefined) return notJson(`a ${typeof value}`);
    if (result.length <= resultLimit) return { result };
    return { unusable: { code: 'TARGET_OUTPUT_TOO_LARGE', reason: `more than ${resultLimit / 1e6} MB of JSON` } };
  } catch (error) {
    return notJson(messageOf(error));
  }
}

function notJson(what: string): Pick<CallAnswer, 'unusable'> {
  return { unusable: { code: 'TARGET_OUTPUT_NOT_JSON', reason: `a value that is not JSON: ${what}` } };
}
