import { isRecord } from '../../shared/json.ts';

/** An answer of a provider that is no reply. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** In the provider's words; empty when it said nothing that could be read. */
  readonly message: string;
  /** Every code, type, status and reason that the answer names. */
  readonly codes: readonly string[];
  /** How long the provider asks to be left alone, as the body says it. */
  readonly bodyRetryAfterMs: number | undefined;
}

/** The answer inside an error of the SDK; undefined when there was none. */
export function errorAnswerOf(thrown: unknown): ErrorAnswer | undefined {
  if (!isRecord(thrown) || typeof thrown.statusCode !== 'number') return undefined;
  const body = typeof thrown.responseBody === 'string' ? thrown.responseBody : '';
  const error = errorIn(parse(body));
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  return {
    status: thrown.statusCode,
    headers: isRecord(thrown.responseHeaders) ? thrown.responseHeaders : {},
    body,
    message: typeof error.message === 'string' ? error.message : '',
    codes: [error.code, error.type, error.status, ...details.flatMap(detailCodes)].filter(
      (code): code is string => typeof code === 'string',
    ),
    bodyRetryAfterMs: details.map(({ retryDelay }) => secondsAsMs(retryDelay)).find((ms) => ms !== undefined),
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Providers put it under `error`; some servers leave that out, and some wrap everything in a list. */
function errorIn(parsed: unknown): Record<string, unknown> {
  const document: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isRecord(document)) return {};
  if (typeof document.error === 'string') return { ...document, message: document.error };
  return isRecord(document.error) ? document.error : document;
}

function detailCodes({ reason, violations }: Record<string, unknown>): unknown[] {
  const quotas = Array.isArray(violations) ? violations.filter(isRecord).map(({ quotaId }) => quotaId) : [];
  return [reason, ...quotas];
}

function secondsAsMs(text: unknown): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(typeof text === 'string' ? text : '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
