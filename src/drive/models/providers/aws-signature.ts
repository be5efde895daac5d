import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Scope {
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The headers of a request with its signature (AWS Signature Version 4) in `authorization`. */
export function signedHeaders(
  { method, url, headers, body }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: Scope,
): Record<string, string> {
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const canonical = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = canonical.map(([name]) => name).join(';');
  const request = [
    method,
    // A path is encoded once to be sent, and its segments once more to be signed.
    url.pathname.split('/').map(encode).join('/'),
    canonicalQuery(url),
    ...canonical.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, [algorithm, time, scope, sha256(request)].join('\n')).toString('hex');
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** As AWS encodes: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
