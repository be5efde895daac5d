import { describe, expect, it } from 'vitest';
import { openStore } from '../../keep/store/open-store.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { FollowedTrials } from './follow-trials.ts';

const planned = 1_000;

async function newsOf(followed: FollowedTrials, isLast = false): Promise<number[]> {
  const ordinals: number[] = [];
  for await (const { ordinal } of followed.news(isLast)) ordinals.push(ordinal);
  return ordinals;
}

describe('following the trials of a run', () => {
  it('reports each once, whatever the order in which they are stored', async () => {
    await using store = await openStore('sqlite:assay.db', await temporaryFolder());
    await store.createRun(runHeader('r-1', { planned }));
    const followed = new FollowedTrials(store, 'r-1', planned);
    const save = (ordinals: readonly number[]) =>
      store.saveTrials(ordinals.map((ordinal) => finishedTrial('r-1', ordinal)));
    const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

    expect(await newsOf(followed)).toEqual([]);
    await save(range(700, 999));
    expect(await newsOf(followed)).toEqual(range(700, 999));
    await save(range(1, 400));
    expect(await newsOf(followed)).toEqual(range(1, 400));
    expect(await newsOf(followed)).toEqual([]);
    await save([0, 500, 699]);
    expect(await newsOf(followed)).toEqual([0, 500, 699]);
    await save([...range(401, 499), ...range(501, 698)]);
    expect(await newsOf(followed, true)).toEqual([...range(401, 499), ...range(501, 698)]);
    expect(await newsOf(followed, true)).toEqual([]);
  });
});
