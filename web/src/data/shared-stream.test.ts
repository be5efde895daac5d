import { describe, expect, it, onTestFinished } from 'vitest';
import { type Locks, SharedStream } from './shared-stream.ts';

class FakeSource extends EventTarget {
  readyState = 0;
  isClosed = false;

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  emit(data: string): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  close(): void {
    this.isClosed = true;
  }
}

/** One lock that pages hold one after the other. */
function oneLock(): Locks {
  let last = Promise.resolve();
  return {
    request(_name, { signal }, held) {
      last = last.then(() => (signal.aborted ? undefined : held()));
      return last;
    },
  };
}

let names = 0;

/** Pages of one browser that follow the same run. */
function browser() {
  const [locks, name] = [oneLock(), `stream ${names++}`];
  const sources: FakeSource[] = [];
  const page = () => {
    const stream = new SharedStream(name, {
      locks,
      open: () => {
        const source = new FakeSource();
        sources.push(source);
        return source;
      },
    });
    onTestFinished(() => stream.close());
    const heard: string[] = [];
    stream.addEventListener('message', (message) => heard.push((message as MessageEvent<string>).data));
    return { stream, heard };
  };
  return { sources, page };
}

/** The next event of a page. */
const next = (stream: SharedStream, type: string): Promise<unknown> =>
  new Promise((resolve) => stream.addEventListener(type, resolve, { once: true }));

describe('a stream that pages share', () => {
  it('is opened once, and every page has its events, also one that comes later', async () => {
    const { sources, page } = browser();
    const first = page();
    const second = page();
    await Promise.resolve();
    const isOpen = next(second.stream, 'open');
    sources[0]?.open();
    await isOpen;
    const heard = next(second.stream, 'message');
    sources[0]?.emit('one');
    await heard;
    const third = page();
    await next(third.stream, 'message');
    expect([first, second, third].map((each) => each.heard)).toEqual([['one'], ['one'], ['one']]);
    expect(third.stream.readyState).toBe(1);
    expect(sources).toHaveLength(1);
  });

  it('is taken over by another page when the one that reads it is closed', async () => {
    const { sources, page } = browser();
    const first = page();
    const second = page();
    await Promise.resolve();
    first.stream.close();
    expect(sources[0]?.isClosed).toBe(true);
    await expect.poll(() => sources.length).toBe(2);
    sources[1]?.emit('two');
    expect(second.heard).toEqual(['two']);
    expect(first.heard).toEqual([]);
  });

  it('brings the last event to the pages that do not read it, though the reader closes with it', async () => {
    const { sources, page } = browser();
    const first = page();
    const second = page();
    await Promise.resolve();
    first.stream.addEventListener('message', () => first.stream.close());
    const heard = next(second.stream, 'message');
    sources[0]?.emit('finished');
    await heard;
    expect(second.heard).toEqual(['finished']);
  });
});
