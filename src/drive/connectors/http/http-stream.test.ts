import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asking, opened } from '../../../testing/fakes/connectors/opened.ts';
import { serve } from '../../../testing/support/http-server.ts';
import { httpConnector } from './http-connector.ts';

const sse = 'text/event-stream';
const ndjson = 'application/x-ndjson';

/** Answer of an endpoint that streams it in these pieces. */
async function streamed(pieces: readonly (string | Buffer)[], type: string, config: unknown) {
  const baseUrl = await serve(async (_, response) => {
    response.socket?.setNoDelay(true);
    response.writeHead(200, { 'content-type': type });
    for (const piece of pieces) {
      response.write(piece);
      await nextTurn();
    }
    response.end();
  });
  const connector = await opened(httpConnector, config, { baseUrl });
  return connector.invoke(asking('Hello'));
}

function bytesOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

const chunk = (delta: unknown, rest: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta }], ...rest })}\r\n\r\n`;
const chat = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Grüße, ' }),
  chunk({ content: '世界 👋' }),
  chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'book', arguments: '{"a"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\r\n\r\n',
  'data: [DONE]\r\n\r\n',
].join('');

describe('an HTTP agent that answers in pieces', () => {
  it.each<[string, string, string, object, string]>([
    [
      'words in events',
      'data: Grüße, \n\ndata: 世界 \n\ndata: 42\n\n: ping\n\nevent: done\ndata: end\n\n',
      sse,
      { stream: 'sse' },
      'Grüße, 世界 42',
    ],
    [
      'events of JSON',
      'data: {"content":"Grüße, "}\n\ndata: {"content":"世界"}\n\ndata: [DONE]\n\n',
      sse,
      { stream: 'sse' },
      'Grüße, 世界',
    ],
    [
      'events of a response',
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"世界"}\n\ndata: {"type":"response.output_text.done","text":"世界"}\n\n',
      sse,
      {},
      '世界',
    ],
    [
      'a mapped text',
      'data: {"x":{"y":"世"}}\n\ndata: {"z":1}\n\ndata: {"x":{"y":"界"}}\n\n',
      sse,
      { stream: 'sse', response: { text: '$.x.y' } },
      '世界',
    ],
    [
      'lines of JSON',
      '{"message":{"content":"世"}}\r\n{"message":{"content":"界"},"done":true}',
      ndjson,
      { stream: 'ndjson' },
      '世界',
    ],
    ['lines of JSON by their type', '{"response":"世"}\n{"response":"界"}\n', ndjson, {}, '世界'],
    ['plain text', 'Grüße, 世界 👋', 'text/plain; charset=utf-8', { stream: 'text' }, 'Grüße, 世界 👋'],
  ])('is put together byte by byte: %s', async (_, body, type, config, text) => {
    const answer = await streamed(bytesOf(body), type, config);
    expect(answer.messages).toEqual([{ role: 'assistant', content: text }]);
    expect(answer.timeToFirstTokenMs).toBeGreaterThan(0);
    expect(answer.timeToFirstTokenMs).toBeLessThanOrEqual(answer.latencyMs + 1);
  });

  it('is put together from chunks of a chat completion, wherever they are cut', async () => {
    const bytes = Buffer.from(chat);
    const whole = await streamed([bytes], sse, { stream: 'sse' });
    expect(whole).toMatchObject({
      messages: [
        { content: 'Grüße, 世界 👋', tool_calls: [{ id: 'c1', function: { name: 'book', arguments: '{"a":1}' } }] },
      ],
      usage: { inputTokens: 3, outputTokens: 4 },
    });
    for (let at = 1; at < bytes.length; at += 7) {
      const { messages } = await streamed([bytes.subarray(0, at), bytes.subarray(at)], sse, { stream: 'sse' });
      expect(messages).toEqual(whole.messages);
    }
  });

  it('measures the time to its first text and not to its first byte', async () => {
    let betweenByteAndTextMs = 0;
    const baseUrl = await serve(async (_, response) => {
      response.writeHead(200, { 'content-type': sse });
      await new Promise<unknown>((resolve) => response.write(': here I am\n\n', resolve));
      const writtenMs = performance.now();
      while (performance.now() - writtenMs < 20) {
        await new Promise(setImmediate);
      }
      betweenByteAndTextMs = performance.now() - writtenMs;
      response.end('data: {"content":"Hi"}\n\n');
    });
    const connector = await opened(httpConnector, { stream: 'sse' }, { baseUrl });
    const answer = await connector.invoke(asking('Hello'));
    expect(answer.timeToFirstTokenMs).toBeGreaterThanOrEqual(betweenByteAndTextMs);
  });

  it('may bring usage and the thread with any piece', async () => {
    const body = 'data: {"content":"Hi","threadId":"t"}\n\ndata: {"type":"done","usage":{"input":1,"output":2}}\n\n';
    expect(await streamed([body], sse, {})).toMatchObject({
      threadId: 't',
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  });

  it('may answer whole all the same', async () => {
    const answer = await streamed(['{"content":', '"Hi"}'], 'application/json', { stream: 'sse' });
    expect(answer.messages).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  it('may give all messages in one event', async () => {
    const body = 'data: {"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n\n';
    expect((await streamed([body], sse, {})).messages).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  it.each<[string, string, string, object, string, RegExp]>([
    [
      'an error event',
      'data: {"content":"Hi"}\n\nevent: error\ndata: {"message":"out of luck"}\n\n',
      sse,
      {},
      'TARGET_CRASHED',
      /out of luck/,
    ],
    ['an error in the data', 'data: {"error":{"message":"out of luck"}}\n\n', sse, {}, 'TARGET_CRASHED', /out of luck/],
    ['no text', 'data: [DONE]\n\n', sse, {}, 'TARGET_NO_MESSAGE', /a stream without text/],
    ['nothing', '', sse, {}, 'TARGET_OUTPUT_NOT_JSON', /empty body/],
    ['a line that is not JSON', '{"content":"Hi"}\n{"cont', ndjson, {}, 'TARGET_CRASHED', /not JSON/],
    ['a chat that ends in the middle', chunk({ content: 'Hi' }), sse, {}, 'TARGET_NO_MESSAGE', /a stream without text/],
  ])('is an error with %s', async (_, body, type, config, code, message) => {
    await expect(streamed([body], type, config)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
