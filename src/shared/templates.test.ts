import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplates, templatesIn } from './templates.ts';

describe('templates', () => {
  it('are found with their places', () => {
    const data = { a: 'x {{city}} y {{ day }}', b: [{ c: '{{city}}' }], d: 5, e: null };
    expect(templatesIn(data, ['root'])).toEqual([
      { path: ['root', 'a'], column: 3, written: '{{city}}', name: 'city' },
      { path: ['root', 'a'], column: 14, written: '{{ day }}', name: 'day' },
      { path: ['root', 'b', 0, 'c'], column: 1, written: '{{city}}', name: 'city' },
    ]);
  });

  it('have names that can be distinguished from other uses of braces', () => {
    const names = ['{{a b}}', '{{}}', '{{#if x}}', '{{a.b-c_1}}', '{{{a}}}', '{{a\nb}}'].map(
      (text) => templatesIn(text, [])[0]?.name,
    );
    expect(names).toEqual([undefined, undefined, undefined, 'a.b-c_1', 'a', undefined]);
  });

  it('become text inside of a text, and the value itself where there is nothing else', () => {
    const values = { n: 5, flag: false, list: [1], none: null, text: 't' };
    expect(fillTemplates(['{{n}}', 'is {{n}}', '{{flag}}', '{{list}} {{none}}', { a: '{{text}}!' }], values)).toEqual([
      5,
      'is 5',
      false,
      '[1] null',
      { a: 't!' },
    ]);
  });

  it('stay as they are where there is no value, whatever objects inherit', () => {
    for (const text of ['{{toString}}', '{{constructor}} x', '{{__proto__}}', '{{a b}}'])
      expect(fillTemplates(text, {})).toBe(text);
  });

  it('are filled in once, whatever the values hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, around) => {
        const plain = around.replaceAll(/[{}]/g, '');
        expect(fillTemplates(`${plain}<{{a}}>{{b}}`, { a: value, b: '{{a}} $& $1' })).toBe(
          `${plain}<${value}>{{a}} $& $1`,
        );
      }),
      { seed: 21, numRuns: 300 },
    );
  });
});
