import type { ErrorCode } from '../../../domain/errors.ts';
import type { HttpResponse } from '../../../shared/http/http-client.ts';
import { isRecord } from '../../../shared/json.ts';
import { StatusFailure } from './billing.ts';
import type { Failing } from './failures.ts';
import { parseJson } from './parse-json.ts';
import { excerptOf } from './shown-text.ts';

interface Meaning {
  readonly code: ErrorCode;
  readonly hint: string;
}

const meanings: Readonly<Record<number, Meaning>> = {
  401: { code: 'TARGET_UNREACHABLE', hint: 'Check the key or the credentials in the headers of the connector.' },
  403: { code: 'TARGET_UNREACHABLE', hint: 'Check that the credentials in the headers may use this endpoint.' },
  404: { code: 'TARGET_UNREACHABLE', hint: 'Check the base URL and the path of the connector.' },
  405: { code: 'TARGET_UNREACHABLE', hint: 'Check the method and the path of the connector.' },
  408: { code: 'TARGET_TIMEOUT', hint: 'The endpoint gave up waiting; find out why it is slow.' },
  429: { code: 'TARGET_UNREACHABLE', hint: 'The endpoint wants fewer requests: run with a lower --concurrency.' },
  504: { code: 'TARGET_TIMEOUT', hint: 'The agent behind the gateway was too slow; find out why.' },
};
const redirected: Meaning = {
  code: 'TARGET_UNREACHABLE',
  hint: 'Redirects are not followed: set the base URL of the connector to where it leads.',
};
const refused: Meaning = {
  code: 'TARGET_UNREACHABLE',
  hint: 'The endpoint refused the request: compare what it says with the config of the connector.',
};
const crashed: Meaning = { code: 'TARGET_CRASHED', hint: 'The agent failed; the log of the endpoint should say why.' };

/** Throws for an answer whose status says that it is none. */
export function requireSuccess({ status, headers, body }: HttpResponse, failing: Failing): void {
  if (status >= 200 && status <= 299) return;
  const { code, hint } = meanings[status] ?? (status >= 500 ? crashed : status >= 400 ? refused : redirected);
  const target = status < 400 ? headers.location?.replace(/[?#].*$/s, '') : undefined;
  const said = target === undefined ? saidIn(body) : `to ${target}`;
  const excerpt = said === '' ? ' and an empty body' : `: ${excerptOf(said, failing.redact)}`;
  throw failing.error(code, `answered with HTTP ${status}${excerpt}`, hint, new StatusFailure(status));
}

/** What an error answer says: its message where it has one, else all of it. */
function saidIn(body: string): string {
  return errorTextIn(parseJson(body)) ?? body.trim();
}

/** The message of an error in the usual shapes; undefined where there is none. */
export function errorTextIn(document: unknown): string | undefined {
  if (!isRecord(document)) return undefined;
  const { error, message, detail } = document;
  const nested = isRecord(error) ? error.message : error;
  return [nested, message, detail].find((text): text is string => typeof text === 'string' && text !== '');
}
