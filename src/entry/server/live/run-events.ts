import type { ServerContext } from '../context.ts';
import { findRun } from '../runs/find-run.ts';
import { type FeedEvent, isEndId } from './event-feed.ts';
import { eventStream } from './event-stream.ts';

/**
 * What happens in a run from now on, or since the event that the client saw last. A client that comes back after the
 * end is told, by an answer without content, to come no more.
 */
export async function runEvents(runId: string, raw: Request, context: ServerContext): Promise<Response> {
  const run = await findRun(context.store, runId);
  const lastId = raw.headers.get('last-event-id') ?? undefined;
  const feed = context.runs.feed(run.runId);
  if (!feed && run.status !== 'running' && isEndId(lastId)) return new Response(null, { status: 204 });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, raw.signal, context.signal]);
  const events: AsyncGenerator<FeedEvent, void> = feed
    ? feed.read(lastId, signal)
    : context.runsDesk.followed.read(run.runId, lastId, signal);
  return eventStream(events, stop);
}
