import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextList, TextTable } from './text-table.ts';

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 200 });

describe('texts in one piece of memory', () => {
  it('are read as they were added, lone surrogates too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', 'é', '漢'))),
        (added) => {
          const list = new TextList();
          for (const text of added) list.add(text);
          expect(Array.from({ length: list.length }, (_, place) => list.at(place))).toEqual(added);
          const sent = new TextList(structuredClone(list.pack()));
          expect(sent.add('more')).toBe(added.length);
          expect(Array.from({ length: sent.length }, (_, place) => sent.at(place))).toEqual([...added, 'more']);
        },
      ),
    );
  });

  it('are sorted as strings are', () => {
    fc.assert(
      fc.property(texts, (added) => {
        const list = new TextList();
        for (const text of added) list.add(text);
        const places = Int32Array.from(added, (_, place) => place).sort((one, other) => list.compare(one, other));
        expect(Array.from(places, (place) => list.at(place))).toEqual([...added].sort());
      }),
    );
  });

  it('of a table are there once, before and after it went to another process', () => {
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const table = new TextTable();
        const expected = new Map<string, number>();
        const add = (text: string, to: TextTable): void => {
          if (!expected.has(text)) expected.set(text, expected.size);
          expect(to.add(text)).toBe(expected.get(text));
        };
        for (const text of first) add(text, table);
        const sent = new TextTable(structuredClone(table.pack()));
        for (const text of [...first, ...second]) add(text, sent);
        expect(sent.length).toBe(expected.size);
      }),
    );
  });
});
