import { isLiveStatus } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { ServerContext } from '../context.ts';
import { type FeedEvent, isEndId } from './event-feed.ts';

/** Often enough that a client that is gone is noticed, and that nothing in between takes the stream for dead. */
const pingIntervalMs = 15_000;
const retryMs = 1_000;

/** Events as a browser's `EventSource` reads them: unnamed, with an id to resume from. */
function eventStream(events: AsyncGenerator<FeedEvent, void>, stop: AbortController): Response {
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

/**
 * The events of a run from now on, or since the last event that the client has. A client that reconnects after the end
 * gets 204, which stops it from reconnecting.
 */
export async function runEvents(runId: string, raw: Request, context: ServerContext): Promise<Response> {
  const run = await requireRun(context.store, runId);
  const lastId = raw.headers.get('last-event-id') ?? undefined;
  const feed = context.runs.feed(run.runId);
  if (!feed && !isLiveStatus(run.status) && isEndId(lastId)) return new Response(null, { status: 204 });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, raw.signal, context.signal]);
  const events: AsyncGenerator<FeedEvent, void> = feed
    ? feed.read(lastId, signal)
    : context.runCache.followed.read(run.runId, lastId, signal);
  return eventStream(events, stop);
}
