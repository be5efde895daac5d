import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../shared/json.ts';
import { type JsonObject, RefusedRequest, type RequestLine } from './dialects/dialect.ts';

const mostBytes = 20 * 1024 * 1024;

/** Reads what a request is about; no URL is too odd, since it need only be compared. */
export function requestLineOf({ method = '', url = '', headers }: IncomingMessage): RequestLine {
  const [path = '', query] = url.split('?', 2);
  // Base URLs are often written with a slash too many.
  return { method, pathname: path.replace(/\/+/g, '/'), query: new URLSearchParams(query), headers };
}

/** The keys that a request carries, wherever providers look for them. */
export function keysOf({ headers, query }: RequestLine): string[] {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const carried = [bearer, headers['x-api-key'], headers['x-goog-api-key'], headers['api-key'], query.get('key')];
  return carried.flatMap((key) => key ?? []);
}

/**
 * All of a request's body. One that is too large is read to its end and thrown away, because a client that is still
 * sending does not see an answer. Rejects when the client goes away.
 */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too-large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostBytes) chunks.length = 0;
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(size > mostBytes ? 'too-large' : Buffer.concat(chunks, size)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });
}

/** A body as JSON object, or the refusal that a provider would give. */
export function parseBody(body: Buffer | 'too-large'): JsonObject {
  if (body === 'too-large') throw new RefusedRequest(413, `The request is larger than ${mostBytes} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new RefusedRequest(400, 'The body of the request is not JSON.');
  }
  if (isRecord(value)) return value;
  throw new RefusedRequest(400, 'The body of the request must be a JSON object.');
}
