import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { AnsweredError } from '../provider-errors.ts';
import type { Send } from '../send-request.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const usualAddress = 'https://oauth2.googleapis.com/token';
/** A token is not used in its last minute: it could end while a request is on its way. */
const reserveMs = 60_000;

const credentialsSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('service_account'),
    client_email: z.string().min(1),
    private_key: z.string().min(1),
    private_key_id: z.string().optional(),
    token_uri: z.url().default(usualAddress),
  }),
  z.object({
    type: z.literal('authorized_user'),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    refresh_token: z.string().min(1),
    token_uri: z.url().default(usualAddress),
  }),
]);
type Credentials = z.output<typeof credentialsSchema>;

interface Token {
  readonly text: string;
  readonly endsAtMs: number;
}

/** Gives access tokens for the credentials in a file; each is requested once and used until it ends. */
export function accessTokens(file: string, send: Send): (signal: AbortSignal) => Promise<string> {
  let current: Promise<Token> | undefined;
  const renew = (signal: AbortSignal): Promise<Token> => {
    const renewed = readCredentials(file).then((credentials) => requestToken(credentials, send, signal));
    // The next request tries again.
    renewed.catch(() => {
      if (current === renewed) current = undefined;
    });
    return renewed;
  };
  return async (signal) => {
    current ??= renew(signal);
    const token = await current;
    if (token.endsAtMs > Date.now()) return token.text;
    current = renew(signal);
    return (await current).text;
  };
}

async function readCredentials(file: string): Promise<Credentials> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw unusable('cannot be read');
  const parsed = credentialsSchema.safeParse(parseJson(text));
  if (!parsed.success) throw unusable('does not hold the JSON of a service account or of an authorized user');
  return parsed.data;
}

function unusable(problem: string): AssayError {
  return new AssayError('MODEL_NO_KEY', `The file of GOOGLE_APPLICATION_CREDENTIALS ${problem}.`, {
    hint: 'Set GOOGLE_APPLICATION_CREDENTIALS to a key file of a service account, or GOOGLE_VERTEX_ACCESS_TOKEN to a token.',
  });
}

async function requestToken(credentials: Credentials, send: Send, signal: AbortSignal): Promise<Token> {
  const beganMs = Date.now();
  const body = new URLSearchParams(grantOf(credentials, beganMs)).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body: text } = await send({ url: new URL(credentials.token_uri), headers, body, signal });
  const answer = parseJson(text);
  const { access_token: token, expires_in: lifetime } = isRecord(answer) ? answer : {};
  if (status >= 200 && status <= 299 && typeof token === 'string' && typeof lifetime === 'number') {
    return { text: token, endsAtMs: beganMs + lifetime * 1_000 - reserveMs };
  }
  throw new AnsweredError(status < 500 ? 401 : status, refusalOf(answer, status), {});
}

/** Without the answer itself, which may repeat the request. */
function refusalOf(answer: unknown, status: number): string {
  const { error, error_description: description } = isRecord(answer) ? answer : {};
  const reason = [error, description].filter((text) => typeof text === 'string').join(': ');
  const message = `no access token from Google (status ${status}${reason === '' ? '' : `, ${reason}`})`;
  return JSON.stringify({ error: { message } });
}

function grantOf(credentials: Credentials, nowMs: number): Record<string, string> {
  if (credentials.type === 'authorized_user') {
    const { client_id, client_secret, refresh_token } = credentials;
    return { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
  }
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertionOf(credentials, nowMs) };
}

/** A signed statement of the service account that it wants a token. */
function assertionOf(
  { client_email, private_key, private_key_id, token_uri }: Extract<Credentials, { type: 'service_account' }>,
  nowMs: number,
): string {
  const issuedAt = Math.floor(nowMs / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(private_key_id !== undefined && { kid: private_key_id }) };
  const claims = { iss: client_email, scope, aud: token_uri, iat: issuedAt, exp: issuedAt + 3_600 };
  const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${content}.${createSign('RSA-SHA256').update(content).sign(private_key, 'base64url')}`;
  } catch {
    throw unusable('holds a private key that cannot be used');
  }
}
