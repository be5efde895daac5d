import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from './suggest.ts';

const names = ['command', 'module', 'url', 'timeoutSecs'];
const word = fc.stringMatching(/^[a-z]{4,12}$/);

describe('nearestName', () => {
  it.each([
    ['comand', 'command'],
    ['moduel', 'module'],
    ['URL', 'url'],
    ['timeoutsec', 'timeoutSecs'],
    ['something-else', undefined],
    ['', undefined],
    ['time', 'timeoutSecs'],
    ['ur', 'url'],
  ])('takes %s for %s', (written, meant) => {
    expect(nearestName(written, names)).toBe(meant);
  });

  it('finds a name again after one slip of any kind', () => {
    fc.assert(
      fc.property(word, fc.nat({ max: 3 }), fc.constantFrom('drop', 'double', 'change', 'swap'), (name, at, slip) => {
        const [before, here, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
        const swapped = at === 0 ? name : `${before.slice(0, -1)}${here}${before.slice(-1)}${after}`;
        const slips = {
          drop: before + after,
          double: before + here + here + after,
          change: `${before}_${after}`,
          swap: swapped,
        };
        expect(nearestName(slips[slip], ['entirely different', name])).toBe(name);
      }),
      { seed: 5 },
    );
  });

  it('prefers the name itself', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1 }), (known) => {
        for (const name of known) expect(nearestName(name, known)).toBe(name);
      }),
      { seed: 6 },
    );
  });
});

describe('suggestion', () => {
  it('asks about a near miss and otherwise lists what is known', () => {
    expect(suggestion('comand', names)).toBe('Did you mean `command`?');
    expect(suggestion('zzz', ['a-name', 'b-name'])).toBe('Known: `a-name`, `b-name`.');
  });
});
