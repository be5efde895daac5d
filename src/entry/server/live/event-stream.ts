import type { FeedEvent } from './event-feed.ts';

/** Often enough that a client that is gone is noticed, and that nothing in between takes the stream for dead. */
const pingIntervalMs = 15_000;
const retryMs = 1_000;

/** Events as a browser's `EventSource` reads them: unnamed, with an id to resume from. */
export function eventStream(events: AsyncGenerator<FeedEvent, void>, stop: AbortController): Response {
  const encoder = new TextEncoder();
  let ping: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearInterval(ping);
    stop.abort();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      ping = setInterval(() => controller.enqueue(encoder.encode(': \n\n')), pingIntervalMs);
      ping.unref();
    },
    async pull(controller) {
      const { value, done } = await events.next();
      if (value) {
        controller.enqueue(encoder.encode(`id: ${value.id}\ndata: ${JSON.stringify(value.event)}\n\n`));
        return;
      }
      end();
      if (done) controller.close();
    },
    async cancel() {
      end();
      await events.return();
    },
  });
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  });
}
