import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  containsText,
  differenceOfResult,
  differenceOfValues,
  meaningOfResult,
  resultMatches,
  textOfResult,
} from './tool-meaning.ts';

const saying = (...texts: readonly string[]) => ({ content: texts.map((text) => ({ type: 'text', text })) });
const structured = (structuredContent: unknown, text = '') => ({ ...saying(text), structuredContent });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('what a result means', () => {
  it.each([
    ['a number', saying('8'), 8],
    ['a negative number', saying('-1.5'), -1.5],
    ['JSON with space around it', saying(' {"a":1}\n'), { a: 1 }],
    ['a list', saying('[1,2]'), [1, 2]],
    ['truth', saying('true'), true],
    ['null', saying('null'), null],
    ['a text in quotes', saying('"hello"'), 'hello'],
    ['a text', saying('hello'), 'hello'],
    ['a text that begins like JSON', saying('[note] hello'), '[note] hello'],
    ['a text that begins like a number', saying('8 apples'), '8 apples'],
    ['an empty text', saying(''), ''],
    ['several texts', saying('a', 'b'), 'a\nb'],
    ['texts that are JSON together', saying('[1,', '2]'), [1, 2]],
    ['a text beside an image', { content: [image, { type: 'text', text: '5' }] }, 5],
    ['an image', { content: [image] }, [image]],
    ['nothing', { content: [] }, []],
    ['structured content', structured({ sum: 5 }, 'five'), { sum: 5 }],
    ['structured content that is null', structured(null, 'five'), null],
    ['no envelope', 'hello', 'hello'],
    ['content that is not a list', { content: 'x' }, 'x'],
  ])('%s', (_about, result, meaning) => {
    expect(meaningOfResult(result)).toEqual(meaning);
  });

  it('has a text only where there is one', () => {
    expect(textOfResult({ content: [image] })).toBeUndefined();
    expect(textOfResult(saying(''))).toBe('');
    expect(textOfResult({ content: [{ type: 'text', text: 5 }] })).toBeUndefined();
  });
});

describe('an expected result', () => {
  it.each([
    ['text in text, whatever the case', 'WORLD', saying('Hello world')],
    ['a text that is a number', '8', saying('8')],
    ['digits that a number cannot hold', '12345678901234567891', saying('12345678901234567891')],
    ['text in data as it was written', '"a": 1', saying('{"a": 1}')],
    ['text in data as JSON', '"a":1', saying('{"a": 1}')],
    ['text in a text inside of data', 'b\nc', structured({ deep: [{ text: 'A\nB\nC' }] })],
    ['text beside structured content', 'five', structured({ sum: 5 }, 'It is five')],
    ['a Greek word, whatever its end', 'ΟΔΟΣ', saying('οδοσα')],
    ['an empty text', '', saying('anything')],
    ['nearly a number', 0.3, saying('0.30000000000000004')],
    ['a number in structured content that wraps it', 8, structured({ result: 8 }, '8')],
    ['a list in structured content that wraps it', [1, 2], structured({ result: [1, 2] }, '1\n2')],
    ['a number that the text has', 5, structured({ sum: 5, unit: 'm' }, '5')],
    ['an object, whatever the order', { a: 1, b: 2 }, saying('{"b":2,"a":1}')],
    ['nearly a number inside', { a: [0.3] }, saying('{"a":[0.30000000000000004]}')],
    ['null', null, saying('null')],
    ['false', false, saying('false')],
    ['nothing at all', [], { content: [] }],
    ['what has no value in JSON', { a: 1, b: undefined }, saying('{"a":1}')],
  ])('fits: %s', (_about, expected, result) => {
    expect(differenceOfResult(expected, result)).toBeUndefined();
    expect(resultMatches(expected, result)).toBe(true);
  });

  it.each([
    ['text that is not there', 'x', saying('hello'), '$', 'contains'],
    ['a number in a sentence', 8, saying('The sum is 8'), '$', 'value'],
    ['a number and a text', 8, saying('"8"'), '$', 'value'],
    ['numbers too far apart', 1, saying('1.0002'), '$', 'value'],
    ['null and nothing', null, { content: [] }, '$', 'value'],
    ['null and false', null, saying('false'), '$', 'value'],
    ['part of a text inside', { a: 'hell' }, saying('{"a":"hello"}'), '$.a', 'value'],
    ['the case of a text inside', { a: 'Hello' }, saying('{"a":"hello"}'), '$.a', 'value'],
    ['a key too few', { a: 1, 'b c': 2 }, saying('{"a":1}'), '$["b c"]', 'missing'],
    ['a key too many', { a: 1 }, saying('{"a":1,"b":2}'), '$.b', 'unexpected'],
    ['a longer list', { a: [1] }, saying('{"a":[1,2]}'), '$.a', 'length'],
    ['another order', [1, 2], saying('[2,1]'), '$[0]', 'value'],
    ['an object and a list', { 0: 1 }, saying('[1]'), '$', 'value'],
    ['a key that only the prototype has', { toString: 1 }, saying('{}'), '$.toString', 'missing'],
  ])('does not fit: %s', (_about, expected, result, path, rule) => {
    expect(differenceOfResult(expected, result)).toMatchObject({ path, rule });
    expect(resultMatches(expected, result)).toBe(false);
  });

  it('as a part needs not be all', () => {
    const result = saying('{"a":1,"b":{"c":[{"d":1,"e":2}]}}');
    expect(resultMatches({ b: { c: [{ e: 2 }] } }, result, 'subset')).toBe(true);
    expect(resultMatches({}, result, 'subset')).toBe(true);
    expect(resultMatches({ b: { c: [] } }, result, 'subset')).toBe(false);
    expect(resultMatches({ b: { f: 1 } }, result, 'subset')).toBe(false);
  });

  it('copes with numbers that are none, and with data of any depth', () => {
    expect(differenceOfValues(Number.NaN, Number.NaN)).toBeUndefined();
    expect(differenceOfValues(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(differenceOfValues(Number.NaN, 1)).toMatchObject({ rule: 'value' });
    const deep = saying(`${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`);
    expect(resultMatches('x', deep)).toBe(true);
    expect(resultMatches('y', deep)).toBe(false);
    expect(resultMatches([[1]], deep)).toBe(false);
  });
});

describe('comparing', () => {
  const seed = 20_260_115;
  const json = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.string(), json);
  const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
    fc.assert(property, { seed, numRuns: 500 });

  it('everything fits itself, in both ways', () => {
    check(fc.property(json, (value) => resultMatches(value, saying(JSON.stringify(value)))));
    check(fc.property(json, (value) => differenceOfValues(value, value, 'subset') === undefined));
  });

  it('what fits as a whole fits as a part', () => {
    const small = fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(1));
    check(
      fc.property(small, small, (a, b) => {
        const isWhole = differenceOfValues(a, b) === undefined;
        return !isWhole || differenceOfValues(a, b, 'subset') === undefined;
      }),
    );
  });

  it('a part of an object fits as a part, and as a whole only where nothing is missing', () => {
    check(
      fc.property(object, fc.func(fc.boolean()), (whole, isKept) => {
        const part = Object.fromEntries(Object.entries(whole).filter(([key]) => isKept(key)));
        const isAll = Object.keys(part).length === Object.keys(whole).length;
        return (
          differenceOfValues(part, whole, 'subset') === undefined &&
          (differenceOfValues(part, whole) === undefined) === isAll
        );
      }),
    );
  });

  it('is the same in both directions, but for parts', () => {
    check(
      fc.property(
        json,
        json,
        (a, b) => (differenceOfValues(a, b) === undefined) === (differenceOfValues(b, a) === undefined),
      ),
    );
  });

  it('any part of a text is in it, whatever the case', () => {
    check(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        (before, text, after) => [text, text.toUpperCase()].every((part) => containsText(before + text + after, part)),
      ),
    );
  });
});

describe('an expectation that is written as a whole result', () => {
  const result = { content: [{ type: 'text', text: '5' }], structuredContent: { sum: 5 }, isError: false };

  it.each([
    ['with its content', { content: [{ type: 'text', text: '5' }] }, 'equal', true],
    ['with more of the envelope', { content: [{ type: 'text', text: '5' }], isError: false }, 'equal', true],
    ['with another text', { content: [{ type: 'text', text: '6' }] }, 'equal', false],
    ['with another number of blocks', { content: [{ type: 'text' }, { type: 'text' }] }, 'subset', false],
    ['with part of a block', { content: [{ type: 'text' }] }, 'subset', true],
    ['with part of a block that must be equal', { content: [{ type: 'text' }] }, 'equal', false],
    [
      'with what the envelope does not have',
      { content: [{ type: 'text', text: '5' }], _meta: { a: 1 } },
      'equal',
      false,
    ],
  ] as const)('is compared with the envelope: %s', (_about, expected, match, isMet) => {
    expect(resultMatches(expected, result, match)).toBe(isMet);
  });

  it('may also be the meaning of the result', () => {
    const nested = { content: [{ type: 'note', text: 'a' }] };
    expect(resultMatches(nested, { content: [], structuredContent: nested })).toBe(true);
  });
});
