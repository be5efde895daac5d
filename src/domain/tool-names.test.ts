import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamed } from './tool-names.ts';

const of = (tool: string, server?: string) => ({ tool, server });

describe('names of tools', () => {
  it.each([
    [of('find'), 'find', true],
    [of('find'), 'fin', false],
    [of('find_all'), 'find_*', true],
    [of('find'), 'find*', true],
    [of('find'), 'f?nd', true],
    [of('find'), '*', true],
    [of(''), '?', false],
    [of('a.b'), 'a?b', true],
    [of('a+b'), 'a+b', true],
    [of('find', 'maps'), 'maps/find', true],
    [of('find', 'maps'), 'mcp__maps__find', true],
    [of('find', 'maps'), 'maps/*', true],
    [of('find', 'maps'), 'other/*', false],
    [of('find'), 'maps/find', false],
  ])('%j is %s: %s', (call, name, expected) => {
    expect(isNamed(call, name)).toBe(expected);
  });

  it('match as the same words in a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(text, pattern, (tool, name) => {
        const regex = new RegExp(`^${name.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(isNamed(of(tool), name)).toBe(regex.test(tool));
      }),
      { seed: 42, numRuns: 2_000 },
    );
  });
});
