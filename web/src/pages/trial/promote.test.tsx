import { describe, expect, it } from 'vitest';
import { requestOf } from './promote.tsx';

describe('a trial that is promoted', () => {
  it('gets the criterion that was written, and none for an empty text', () => {
    expect(requestOf({ criterion: '  It is rude. ', connector: '' }, true)).toEqual({
      assertTools: true,
      criterion: 'It is rude.',
    });
    expect(requestOf({ criterion: '   ' }, false)).toEqual({ assertTools: false });
  });
});
