import type { IncomingMessage } from 'node:http';
import { RefusedRequest } from './route.ts';

/** The largest request that is passed on. */
const mostBytes = 20 * 1024 * 1024;
/** So much of a larger one is read and thrown away, because a client that is still sending does not see an answer. */
const mostDiscardedBytes = 100 * 1024 * 1024;

/** All of a request's body. Rejects with a refusal where it is too large, and when the client goes away. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const tooLarge = (): RefusedRequest =>
      new RefusedRequest(413, `The request is larger than ${mostBytes / 2 ** 20} MB.`);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > mostDiscardedBytes) {
        reject(tooLarge());
        request.pause();
      }
    });
    request.on('end', () => (size > mostBytes ? reject(tooLarge()) : resolve(Buffer.concat(chunks, size))));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });
}
