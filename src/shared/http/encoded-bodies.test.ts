import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../testing/support/http-server.ts';
import { HttpClient } from './http-client.ts';

const text = JSON.stringify({ greeting: 'häé'.repeat(50) });

async function receive(coding: string, body: Buffer | string, listen?: (text: string) => void) {
  const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body));
  const client = new HttpClient({ env: {} });
  onTestFinished(() => client[Symbol.dispose]());
  return client.send({
    url: new URL(url),
    method: 'GET',
    headers: {},
    body: undefined,
    bodyLimitBytes: 10_000,
    signal: new AbortController().signal,
    ...(listen && { listenerFor: () => listen }),
  });
}

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('in %s is read as it was', async (coding, body) => {
    expect((await receive(coding, body)).body).toBe(text);
  });

  it('is heard decoded, piece by piece', async () => {
    let heard = '';
    await receive('gzip', gzipSync(text), (piece) => {
      heard += piece;
    });
    expect(heard).toBe(text);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(5_000_000))],
    ['identity', Buffer.alloc(10_001)],
  ])('in %s that is too large is a failure', async (coding, body) => {
    await expect(receive(coding, body)).rejects.toMatchObject({ kind: 'too-large', message: 'more than 10000 bytes' });
  });

  it.each([
    ['gzip', Buffer.from('not compressed')],
    ['gzip', gzipSync(text).subarray(0, 40)],
    ['zstd', Buffer.from(text)],
  ])('in %s that cannot be decoded is a failure', async (coding, body) => {
    await expect(receive(coding, body)).rejects.toMatchObject({ kind: 'unreadable' });
  });

  it('may be empty although an encoding is named', async () => {
    expect((await receive('gzip', '')).body).toBe('');
  });
});
