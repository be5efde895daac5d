import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJson } from './json-measure.ts';
import { JsonScanner, type ScannedPart } from './json-scanner.ts';

function scan(text: string, splitKeys: readonly string[] = [], chunk = text.length) {
  const parts: ScannedPart[] = [];
  const scanner = new JsonScanner(new Set(splitKeys), (part) => parts.push(part));
  for (let at = 0; at < text.length; at += chunk) scanner.push(text.slice(at, at + chunk));
  return { parts, brokenAt: scanner.end() };
}

describe('JsonScanner', () => {
  it('takes lists into elements and objects into members, and named members into their elements', () => {
    const { parts, brokenAt } = scan('{"a": [1, "x"],\n "b": [1, {"c": "]}"}]}\n[2]\n3', ['b']);
    expect(parts.map(({ text, key, isElement, document, line }) => [document, line, key, isElement, text])).toEqual([
      [1, 1, 'a', false, '[1, "x"]'],
      [1, 2, 'b', true, '1'],
      [1, 2, 'b', true, '{"c": "]}"}'],
      [2, 3, undefined, true, '2'],
      [3, 4, undefined, false, '3'],
    ]);
    expect(brokenAt).toBeUndefined();
  });

  it('gives the elements of any list back, however the text is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 7 }), fc.boolean(), (list, chunk, isLaidOut) => {
        const text = JSON.stringify(list, null, isLaidOut ? 2 : 0);
        const { parts, brokenAt } = scan(text, [], chunk);
        expect(parts.map((part) => JSON.parse(part.text))).toEqual(JSON.parse(JSON.stringify(list)));
        expect(parts.map(({ line }) => text.split('\n')[line - 1])).toEqual(
          parts.map((part) => expect.stringContaining(part.text.split('\n')[0] ?? '')),
        );
        expect(brokenAt).toBeUndefined();
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('says of any list that is cut that it breaks off, and gives what was complete', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), (list, at) => {
        const text = JSON.stringify(list);
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        const { parts, brokenAt } = scan(cut);
        expect(brokenAt).toBe(1);
        expect(parts.length).toBeLessThanOrEqual(list.length);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('comes to an end on anything', () => {
    const jsonLike = fc.array(fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'a', '1', ' ', '\n', '"k"'));
    fc.assert(
      fc.property(jsonLike, (pieces) => {
        scan(pieces.join(''), ['k'], 3);
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});

describe('measureJson', () => {
  it('counts duplicated keys and levels, and nothing inside of strings', () => {
    expect(measureJson('{"a": 1, "a": [{"b\\"}:{": "x: \\\\"}]}')).toEqual({ keyCount: 3, levels: 3 });
    expect(measureJson('"text"')).toEqual({ keyCount: 0, levels: 0 });
  });
});
