import { describe, expect, it } from 'vitest';
import type { RunStreamEvent } from '../api/runs.ts';
import { EventFeed, type FeedEvent, isEndId } from './event-feed.ts';

const progress = (pass: number): RunStreamEvent => ({
  type: 'progress',
  status: 'running',
  totals: { planned: 1_000, pass, fail: 0, error: 0, skipped: 0, notRun: 1_000 - pass },
  round: null,
  running: [],
  finishedPerSecond: null,
  lastFinishedAt: null,
  secondsLeft: null,
  costUsd: 0,
  cost: { knownUsd: 0, unknownTrials: 0 },
  recent: [],
});

async function readAll(feed: EventFeed, lastId?: string): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of feed.read(lastId, new AbortController().signal)) events.push(event);
  return events;
}

const passes = (events: readonly FeedEvent[]) =>
  events.map(({ event }) => (event.type === 'progress' ? event.totals.pass : event.type));

describe('EventFeed', () => {
  it('gives a new reader the newest state, and one that comes back what it has missed', async () => {
    const feed = new EventFeed();
    for (const pass of [1, 2, 3]) feed.publish(progress(pass));
    feed.publish({ type: 'warning', message: 'careful' });
    feed.close();
    expect(passes(await readAll(feed))).toEqual([3, 'warning']);
    const earlier = await readAll(feed);
    const firstId = earlier[0]?.id.replace(/\d+$/, '0');
    expect(passes(await readAll(feed, firstId))).toEqual([2, 3, 'warning']);
    expect(passes(await readAll(feed, 'something.1'))).toEqual([3, 'warning']);
    expect(passes(await readAll(feed, earlier.at(-1)?.id))).toEqual([]);
  });

  it('wakes all readers, each at its own place', async () => {
    const feed = new EventFeed();
    feed.publish(progress(1));
    const readers = [readAll(feed), readAll(feed)];
    feed.publish(progress(2));
    await Promise.resolve();
    feed.publish(progress(3));
    feed.close();
    for (const events of await Promise.all(readers)) expect(passes(events)).toEqual([1, 2, 3]);
  });

  it('keeps only so many, and a slow reader goes on with the oldest of those', async () => {
    const feed = new EventFeed();
    feed.publish(progress(0));
    const reader = feed.read(undefined, new AbortController().signal);
    expect((await reader.next()).value?.event).toMatchObject({ totals: { pass: 0 } });
    for (let pass = 1; pass <= 1_000; pass += 1) feed.publish(progress(pass));
    expect((await reader.next()).value?.event).toMatchObject({ totals: { pass: 745 } });
    await reader.return();
  });

  it('ends a reader whose signal is aborted', async () => {
    const stop = new AbortController();
    const reader = new EventFeed().read(undefined, stop.signal);
    const next = reader.next();
    stop.abort();
    expect(await next).toEqual({ value: undefined, done: true });
  });

  it('marks the last event, so readers do not reconnect', async () => {
    const feed = new EventFeed();
    feed.publish(progress(1));
    feed.publish({ type: 'failed', error: { error: 'it broke', code: 'INTERNAL' } });
    feed.close();
    feed.publish(progress(2));
    const events = await readAll(feed);
    expect(events.map(({ id }) => isEndId(id))).toEqual([false, true]);
    expect(await readAll(feed, events[1]?.id)).toEqual([]);
  });
});
