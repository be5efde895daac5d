import { describe, expect, it } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

function recorded() {
  const events: string[] = [];
  const work =
    (name: string, isFailing = false) =>
    async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (isFailing) throw new Error(name);
      return name;
    };
  return { events, work };
}

describe('work that shares something', () => {
  it('is done one after the other, in the order in which it came', async () => {
    const { events, work } = recorded();
    const queue = new OneAtATime();
    const results = await Promise.all(['a', 'b', 'c'].map((name) => queue.run('server', work(name))));
    expect(results).toEqual(['a', 'b', 'c']);
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('goes on after work that failed', async () => {
    const { work } = recorded();
    const queue = new OneAtATime();
    const failing = queue.run('server', work('a', true));
    const next = queue.run('server', work('b'));
    await expect(failing).rejects.toThrow('a');
    await expect(next).resolves.toBe('b');
  });

  it('does not wait for what shares something else, or nothing', async () => {
    const { events, work } = recorded();
    const queue = new OneAtATime();
    await Promise.all([queue.run('one', work('a')), queue.run('two', work('b')), queue.run(undefined, work('c'))]);
    expect(events.slice(-3)).toEqual(
      ['c ends', 'a ends', 'b ends'].sort((x, y) => events.indexOf(x) - events.indexOf(y)),
    );
    expect(events.filter((event) => event.endsWith('begins'))).toEqual(events.slice(0, 3));
  });
});
