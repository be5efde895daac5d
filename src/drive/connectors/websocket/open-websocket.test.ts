import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { asking, opened } from '../../../testing/fakes/connectors/opened.ts';
import { websocketConnector } from './websocket-connector.ts';

/** Sends a message to an agent that answers with one frame. */
async function answerWith(frame: string | Buffer) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => socket.on('message', () => socket.send(frame)));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const baseUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (await opened(websocketConnector, {}, { baseUrl })).invoke(asking('Hello'));
}

it.each(['{"error":"boom"}', '{"error":{"message":"boom"}}', '{"detail":"boom"}'])(
  'a frame that reports an error is not an answer: %s',
  async (frame) => {
    await expect(answerWith(frame)).rejects.toMatchObject({
      code: 'TARGET_NO_MESSAGE',
      message: expect.stringContaining('boom'),
    });
  },
);

it('a frame of an unknown shape is an answer of which more may be missing', async () => {
  const answer = await answerWith('{"verdict":"Sunny"}');
  expect(answer.messages).toEqual([{ role: 'assistant', content: '{"verdict":"Sunny"}' }]);
  expect(answer.gaps).toMatchObject([{ channels: ['answers', 'tool-calls'] }]);
});

it('a frame of text, or of a known shape, is an answer without a gap', async () => {
  for (const frame of ['Sunny', '"Sunny"', '{"content":"Sunny"}']) {
    const { messages, gaps } = await answerWith(frame);
    expect([messages, gaps ?? []]).toEqual([[{ role: 'assistant', content: 'Sunny' }], []]);
  }
});

it('a frame of bytes is text in UTF-8, or no answer', async () => {
  const { messages } = await answerWith(Buffer.from('café'));
  expect(messages).toEqual([{ role: 'assistant', content: 'café' }]);
  await expect(answerWith(Buffer.from('café', 'latin1'))).rejects.toMatchObject({
    code: 'TARGET_OUTPUT_NOT_JSON',
    message: expect.stringContaining('not text in UTF-8'),
  });
});
