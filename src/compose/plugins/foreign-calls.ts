import { AssayError, type ErrorCode, errorTable } from '../../domain/errors.ts';
import { formatDuration } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';

/**
 * Turns an error of a plug-in into an Assay error. A plug-in may have loaded Assay a second time, and its errors are of
 * another class that only looks the same.
 */
export function foreignError(thrown: unknown, code: ErrorCode, before = ''): AssayError {
  if (thrown instanceof AssayError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AssayError' && 'code' in thrown && isErrorCode(thrown.code)) {
    const hint = 'hint' in thrown && typeof thrown.hint === 'string' ? thrown.hint : undefined;
    return new AssayError(thrown.code, thrown.message, { hint, cause: thrown });
  }
  return new AssayError(code, `${before}${messageOf(thrown)}`, { cause: thrown });
}

/** The message of anything that was thrown; with the cause where the message keeps it to itself, as that of `fetch` does. */
export function messageOf(thrown: unknown): string {
  if (!isRecord(thrown)) return String(thrown);
  const { message, name, cause } = thrown;
  const text = typeof message === 'string' && message !== '' ? message : String(name ?? 'an object was thrown');
  const { message: why, code } = Object(cause) as { readonly message?: unknown; readonly code?: unknown };
  const reason = why || code;
  return typeof reason === 'string' && !text.includes(reason) ? `${text}: ${reason}` : text;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/** The promise's result, or a rejection when it takes too long or the signal is aborted. */
export async function withinTimeLimit<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  signal?: AbortSignal | undefined,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal?.reason);
    // Keeps the process alive: a promise that nothing resolves would otherwise end it silently.
    timer = setTimeout(() => reject(new Error(`no answer within ${formatDuration(limitMs)}`)), limitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    if (giveUp) signal?.removeEventListener('abort', giveUp);
  }
}
