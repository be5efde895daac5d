import { describe, expect, it } from 'vitest';
import { recordsOf } from './fakes/compared-sides.ts';
import { type RepeatFigures, RepeatTally } from './repeats.ts';

function figuresOf(cases: Readonly<Record<string, string>>, mostShown = 20): RepeatFigures {
  const tally = new RepeatTally();
  for (const record of recordsOf(cases)) tally.add(record);
  return tally.figures(mostShown);
}

describe('what repeats show', () => {
  it('gives pass@k and pass^k over the fewest judged tries', () => {
    const { k, passAtK, passHatK, flaky } = figuresOf({ steady: '+++', flaky: '++--', broken: '---' });
    // Of 4 tries with 2 passes, a sample of 3 holds a pass always, and never 3 of them.
    expect({ k, flaky }).toEqual({ k: 3, flaky: 1 });
    expect(passAtK).toBeCloseTo(2 / 3, 12);
    expect(passHatK).toBeCloseTo(1 / 3, 12);
  });

  it('shows flaky cases first, the flakiest at the top, then those that always fail', () => {
    const { shown, hidden } = figuresOf({ good: '+++++', bad: '-----', some: '++++-', coin: '++---' });
    expect(shown.map(({ caseId, passed, tried }) => `${caseId} ${passed}/${tried}`)).toEqual([
      'coin 2/5',
      'some 4/5',
      'bad 0/5',
    ]);
    expect(hidden).toBe(0);
    expect(shown[0]?.flakiness).toBe(0.4);
    expect(shown[2]?.interval.low).toBe(0);
    expect(shown[2]?.interval.high).toBeCloseTo(0.43448, 4);
    expect(figuresOf({ a: '+-', b: '-+', c: '--' }, 1)).toMatchObject({ hidden: 2 });
  });

  it('does not flatter by leaving out what was never judged', () => {
    expect(figuresOf({ one: '++', two: '!!' })).toMatchObject({ k: 0, passAtK: undefined, passHatK: undefined });
    expect(figuresOf({})).toMatchObject({ cases: 0, k: 0, passAtK: undefined });
  });
});
