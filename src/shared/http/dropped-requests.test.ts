import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './http-client.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server that drops the connection of the last request after it has read so much of it. */
async function droppingServer(isDropped: (received: string) => boolean, kept: number) {
  let answered = 0;
  let begun = 0;
  const server = createServer((socket: Socket) => {
    let received = '';
    let isNew = true;
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (piece: string) => {
      if (isNew) begun++;
      isNew = false;
      received += piece;
      if (answered >= kept && isDropped(received)) socket.destroy();
      else if (received.endsWith('END')) {
        answered++;
        received = '';
        isNew = true;
        socket.write(answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: new URL(`http://127.0.0.1:${port}/pay`), requests: () => begun };
}

const stages: Readonly<Record<string, (received: string) => boolean>> = {
  'after the first byte': (received) => received.length > 0,
  'after the head': (received) => received.includes('\r\n\r\n'),
  'within the body': (received) => received.includes('BEGIN'),
  'after the whole request': (received) => received.endsWith('END'),
};

describe('a connection that is dropped', () => {
  for (const [stage, isDropped] of Object.entries(stages)) {
    for (const kept of [0, 20]) {
      it(`${stage}, after ${kept} good exchanges, is a failure, and the request is not sent again`, async () => {
        const { url, requests } = await droppingServer(isDropped, kept);
        const client = new HttpClient({ env: {}, unsentPausesMs: [0, 0, 0] });
        onTestFinished(() => client[Symbol.dispose]());
        const body = `BEGIN${'x'.repeat(300_000)}END`;
        const { signal } = new AbortController();
        const pay = () => client.send({ url, method: 'POST', headers: {}, body, bodyLimitBytes: 100, signal });
        for (let turn = 0; turn < kept; turn++) expect((await pay()).body).toBe('ok');
        await expect(pay()).rejects.toMatchObject({ name: 'HttpFailure', wasSent: true });
        expect(requests()).toBe(kept + 1);
      });
    }
  }
});
