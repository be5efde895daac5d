import { renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useStepToHit } from './trace-panel.tsx';

interface Found {
  readonly find: string;
  readonly hits: readonly number[] | undefined;
}

function stepping(first: Found) {
  const [toHit, change] = [vi.fn(), vi.fn()];
  const { result, rerender } = renderHook(({ find, hits }: Found) => useStepToHit(find, hits, toHit, change), {
    initialProps: first,
  });
  return { step: () => result.current(1, 'in'), rerender, toHit, change };
}

describe('Enter in the search of a trace', () => {
  it.each([
    ['before the typed text is looked for', { find: '', hits: undefined }],
    ['while it is looked for', { find: 'in', hits: undefined }],
  ])('goes to the first hit once there is one, pressed %s', (_when, first) => {
    const { step, rerender, toHit } = stepping(first);
    step();
    rerender({ find: 'in', hits: undefined });
    expect(toHit).not.toHaveBeenCalled();
    rerender({ find: 'in', hits: [3, 5] });
    rerender({ find: 'in', hits: [3, 5, 9] });
    expect(toHit.mock.calls).toEqual([[1]]);
  });

  it('goes on at once where the hits are there', () => {
    const { step, toHit, change } = stepping({ find: 'in', hits: [3] });
    step();
    expect(toHit.mock.calls).toEqual([[1]]);
    expect(change).not.toHaveBeenCalled();
  });
});
