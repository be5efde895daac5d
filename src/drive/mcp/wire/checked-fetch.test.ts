import { describe, expect, it } from 'vitest';
import { withLimitedBody } from './checked-fetch.ts';
import { longestMessageBytes } from './wire.ts';

const quarter = longestMessageBytes / 4;

/** The size of what could be read, and whether it broke off. */
async function read(type: string, parts: readonly string[]): Promise<{ bytes: number; isTooLong: boolean }> {
  let isTooLong = false;
  let bytes = 0;
  const body = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
  const response = withLimitedBody(new Response(body, { headers: { 'content-type': type } }), () => {
    isTooLong = true;
  });
  try {
    for await (const chunk of response.body ?? []) bytes += chunk.length;
  } catch {
    // Earlier bytes count.
  }
  return { bytes, isTooLong };
}

describe('a limited body', () => {
  const large = 'x'.repeat(quarter);

  it.each(['\n\n', '\r\n\r\n', '\r\r'])('may hold any number of events that end with %j', async (end) => {
    const together = Array.from({ length: 6 }, () => `${large}${end}`);
    const apart = together.flatMap((event) => [event.slice(0, -1), event.slice(-1)]);
    for (const parts of [together, apart]) {
      const bytes = 6 * (quarter + end.length);
      expect(await read('text/event-stream; charset=utf-8', parts)).toEqual({ bytes, isTooLong: false });
    }
  });

  it('breaks off in an event that is too long', async () => {
    const parts = ['data: small\n\n', large, large, large, large, large];
    const { bytes, isTooLong } = await read('text/event-stream', parts);
    expect(isTooLong).toBe(true);
    expect(bytes).toBeLessThanOrEqual(longestMessageBytes + 100);
  });

  it('breaks off in a document that is too long', async () => {
    const { isTooLong } = await read(
      'application/json',
      Array.from({ length: 6 }, () => `${large}\n\n`),
    );
    expect(isTooLong).toBe(true);
  });
});
