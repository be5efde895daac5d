import { describe, expect, it } from 'vitest';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { afterTick, chosenPair } from './run-list.ts';

const runs = [
  { runId: 'new', startedAt: 2 },
  { runId: 'old', startedAt: 1 },
] as RunItem[];

describe('choosing two runs', () => {
  it('ticks, unticks, and lets a third take the place of the first', () => {
    expect(afterTick([], 'a')).toEqual(['a']);
    expect(afterTick(['a', 'b'], 'a')).toEqual(['b']);
    expect(afterTick(['a', 'b'], 'c')).toEqual(['b', 'c']);
  });

  it('holds the newer against the older, whichever was ticked first', () => {
    expect(chosenPair(['new', 'old'], runs)).toEqual({ a: 'old', b: 'new' });
    expect(chosenPair(['new'], runs)).toBeNull();
    expect(chosenPair(['new', 'gone'], runs)).toBeNull();
  });
});
