import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool behind HTTP that answers on demand, to hold a run where a test needs it. */
export interface HeldTool extends AsyncDisposable {
  readonly url: string;
  /** Resolves when so many calls wait at the same time. */
  waiting(count: number): Promise<void>;
  /** Answers all that wait, and from now on everything at once. */
  release(): void;
  hold(): void;
}

/** Starts the tool; it holds its answers. */
export async function startHeldTool(): Promise<HeldTool> {
  const held = new Set<ServerResponse>();
  const watchers = new Set<() => void>();
  let isHolding = true;
  const answer = (response: ServerResponse): void => {
    held.delete(response);
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  };
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', () => held.delete(response));
    if (!isHolding) return answer(response);
    held.add(response);
    for (const watch of watchers) watch();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    waiting: (count) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (held.size < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    release() {
      isHolding = false;
      for (const response of [...held]) answer(response);
    },
    hold() {
      isHolding = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
