import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSearch, runSearch, runsSearch, stringifySearch, trialSearch } from './search-params.ts';

describe('addresses', () => {
  it('hold every text as it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1, unit: 'grapheme' })),
        (search) => {
          expect({ ...parseSearch(stringifySearch(search)) }).toEqual({ ...search });
        },
      ),
      { seed: 8, numRuns: 300 },
    );
  });

  it('are short: nothing is written for what is not set', () => {
    expect(stringifySearch({ text: '', outcome: undefined, order: null })).toBe('');
    expect(stringifySearch({ outcome: 'fail', event: 'e3' })).toBe('?outcome=fail&event=e3');
  });

  it('leave out what a page does not know', () => {
    expect(runSearch({ outcome: 'fail', order: 'colour', direction: 'desc', x: '1' })).toEqual({
      outcome: 'fail',
      direction: 'desc',
    });
    expect(runsSearch({ status: 'gone', text: 'a' })).toEqual({ text: 'a' });
    expect(trialSearch({ event: '-1' })).toEqual({});
    expect(trialSearch({ event: '12' })).toEqual({ event: 'e12' });
    expect([trialSearch({ event: 'e1' }), trialSearch({ event: 0 }), trialSearch({ event: 'e0' })]).toEqual([
      { event: 'e1' },
      {},
      {},
    ]);
  });

  it('hold a number as the text that it was', () => {
    expect(runSearch(parseSearch('?text=0123&scenario=true'))).toEqual({ text: '0123', scenario: 'true' });
  });
});
