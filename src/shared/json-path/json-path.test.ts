import fc from 'fast-check';
import { query } from 'json-p3';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
import { parseExactJson } from '../exact-json.ts';
import { compileJsonPath, problemOfJsonPath } from './json-path.ts';

async function select(path: string, document: unknown): Promise<readonly unknown[]> {
  return (await compileJsonPath(path)).select(document);
}

const store = {
  books: [
    { title: 'One', price: 8, tags: ['a', 'b'] },
    { title: 'Two', price: 12, isbn: null },
    { title: 'Thrée', price: 12.5, tags: [] },
  ],
  'odd key': { length: 3 },
};

describe('compileJsonPath', () => {
  it.each<[string, unknown[]]>([
    ['$.books[0].title', ['One']],
    ['$.books[-1].title', ['Thrée']],
    ["$['odd key'].length", [3]],
    ['$.books[1].isbn', [null]],
    ['$.books[9]', []],
    ['$.books[0].title.length', []],
    ['$.constructor', []],
    ['$.books[*].price', [8, 12, 12.5]],
    ['$..tags[*]', ['a', 'b']],
    ['$.books[::2].title', ['One', 'Thrée']],
    ['$.books[-2:].title', ['Two', 'Thrée']],
    ["$.books[0]['title','price']", ['One', 8]],
    ['$.books[?@.price > 10].title', ['Two', 'Thrée']],
    ['$.books[?@.tags].title', ['One', 'Thrée']],
    ['$.books[?!@.tags].title', ['Two']],
    ['$.books[?@.isbn == null].title', ['Two']],
    ['$.books[?@.nope == $.nope].price', [8, 12, 12.5]],
    ["$.books[?@.title == 'One' || @.price >= 12.5].price", [8, 12.5]],
    ['$.books[?@.price < 10 && @.tags[?@ == "b"]].title', ['One']],
    ['$.books[?length(@.title) == 5].title', ['Thrée']],
    ['$.books[?count(@.tags[*]) == 2].title', ['One']],
    ['$.books[?value(@..title) == "Two"].price', [12]],
    ['$.books[?match(@.title, "T.*")].price', [12, 12.5]],
    ['$.books[?match(@.title, "T")].price', []],
    ['$.books[?search(@.title, "[ée]$")].title', ['One', 'Thrée']],
    ['$.books[?search(@.title, "(")].title', []],
    ['$.books[?match(@.price, "8")].title', []],
  ])('%s', async (path, values) => {
    expect(await select(path, store)).toEqual(values);
  });

  const lists = {
    numbers: [1, 2, 3],
    words: ['b', 'ab', 'a', 'aa', '', 'abc'],
    mixed: ['a', 1, null, { x: 1, y: 2 }, [1, 1], [1]],
    lines: ['a\nb', 'axb', 'a.b', '.', ']', 'b'],
  };

  it.each<[string, unknown[]]>([
    ['$.numbers[?@ < 2]', [1]],
    ['$.numbers[?@ <= 2]', [1, 2]],
    ['$.numbers[?@ > 2]', [3]],
    ['$.numbers[?@ >= 2]', [2, 3]],
    ['$.words[?@ < "ab"]', ['a', 'aa', '']],
    ['$.words[?@ <= "ab"]', ['ab', 'a', 'aa', '']],
    ['$.words[?@ > "ab"]', ['b', 'abc']],
    ['$.words[?@ >= "ab"]', ['b', 'ab', 'abc']],
    ['$.mixed[?@ < 2]', [1]],
    ['$.mixed[?@ < "b"]', ['a']],
    ['$.mixed[?@ > 0]', [1]],
    ['$.mixed[?@ > ""]', ['a']],
    ['$.mixed[?length(@) == 1]', ['a', [1]]],
    ['$.mixed[?length(@) == 2]', [{ x: 1, y: 2 }, [1, 1]]],
    ['$.mixed[?value(@[*]) == 1]', [[1]]],
    ['$.mixed[?match(@, 1)]', []],
    ['$.lines[?match(@, "a.b")]', ['axb', 'a.b']],
    ['$.lines[?match(@, "a[.x]b")]', ['axb', 'a.b']],
    ['$.lines[?match(@, "[].]|[ab.]")]', ['.', 'b']],
    ['$.lines[?match(@, "[\\\\].]")]', ['.', ']']],
    ['$.lines[?match(@, "a\\\\.b")]', ['a.b']],
  ])('compares and matches: %s', async (path, values) => {
    expect(await select(path, lists)).toEqual(values);
  });

  it.each([
    ['$', true],
    ['$.a[0]["b"]', true],
    ['$[*]', false],
    ['$..a', false],
    ['$[0,1]', false],
    ['$[0:1]', false],
    ['$[?@.a]', false],
  ])('knows whether %s names one place: %s', async (path, isSingular) => {
    expect((await compileJsonPath(path)).isSingular).toBe(isSingular);
  });

  it.each([
    ['', "path must start with '$'"],
    ['count', "path must start with '$'"],
    ['$.', 'it ends too early (column 3)'],
    ['$..', 'bald descendant segment (column 4)'],
    ['$[', 'unclosed bracketed selection (column 3)'],
    ['$.a > 5', 'expected'],
    ['$[?nope(@)]', "no such function 'nope' (column 4)"],
    ['$[01]', 'leading zero in index selector (column 3)'],
    [`$[?${'('.repeat(2_000)}`, 'column'],
    [`$${'.a'.repeat(5_000)}`, 'it is longer than 4096 characters'],
  ])('refuses %.30s', async (path, reason) => {
    expect(await problemOfJsonPath(path)).toContain(reason);
  });

  it('selects what the library selects that knows the syntax', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const { document } = fc.letrec((tie) => ({
      document: fc.oneof(
        { depthSize: 'small', maxDepth: 4 },
        fc.constantFrom(null, true, 0, 1, -1.5, '', 'a', 'ab', '\u{1F600}', '\uFFFD'),
        fc.array(tie('document'), { maxLength: 4 }),
        fc.dictionary(name, tie('document'), { maxKeys: 3 }),
      ),
    }));
    const simple = fc.oneof(
      name.map((key) => `.${key}`),
      fc.constantFrom('[0]', '[-1]', '.*', '[*]', '[1:]', '[::-1]', '[0,1]', "['a',0]", '..a', '..*', '..[0]'),
    );
    const relative = fc.array(simple, { maxLength: 2 }).map((parts) => `@${parts.join('')}`);
    const singular = fc.array(fc.constantFrom('.a', '.b', '[0]'), { maxLength: 2 }).map((parts) => parts.join(''));
    const operand = fc.oneof(
      singular.map((parts) => `@${parts}`),
      singular.map((parts) => `$${parts}`),
      fc.constantFrom('1', '-1.5', '"a"', 'null', 'true'),
      relative.map((path) => `count(${path})`),
      relative.map((path) => `value(${path})`),
    );
    const test = fc.oneof(
      relative,
      relative.map((path) => `!${path}`),
      fc.tuple(operand, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), operand).map((parts) => parts.join(' ')),
      singular.map((parts) => `search(@${parts}, 'a.?')`),
    );
    const filter = fc
      .array(test, { minLength: 1, maxLength: 3 })
      .chain((tests) => fc.constantFrom(' && ', ' || ').map((operator) => `[?${tests.join(operator)}]`));
    const path = fc.array(fc.oneof(simple, filter), { maxLength: 3 }).map((parts) => `$${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(path, document, async (expression, data) => {
        expect(await select(expression, data)).toEqual(query(expression, data as null).values());
      }),
      { seed: 7, numRuns: repetitions({ usual: 300, inFull: 3_000 }) },
    );
  });

  it('means the whole document by $, however deep a filter stands in another', async () => {
    const document = { wanted: 7, lists: [{ items: [{ id: 7 }] }, { items: [{ id: 8 }] }] };
    expect(await select('$.lists[?@.items[?@.id == $.wanted]].items[0].id', document)).toEqual([7]);
  });

  it('counts and orders by characters, as the standard has it', async () => {
    expect(await select('$[?length(@) == 1]', ['\u{1F600}', 'ab'])).toEqual(['\u{1F600}']);
    expect(await select('$[?@ < "\u{1F600}"]', ['\uFFFD', '\u{1F601}'])).toEqual(['\uFFFD']);
    const ordered = ['a', '\uD7FF', '\uE000', '\uFFFD', '\u{10000}', '\u{1F600}'];
    for (const [place, each] of ordered.entries()) {
      expect(await select(`$[?@ < "${each}"]`, ordered)).toEqual(ordered.slice(0, place));
    }
  });

  it('compares integers beyond 2^53 digit by digit', async () => {
    const document = parseExactJson('[{"id": 9007199254740993}, {"id": 9007199254740992}]');
    expect(await select('$[?@.id == 9007199254740993].id', document)).toEqual([9007199254740993n]);
    expect(await select('$[?@.id > 5].id', document)).toEqual([9007199254740993n, 9007199254740992n]);
  });

  it('selects from arrays of any length', async () => {
    const long = Array.from({ length: 200_000 }, (_, index) => index);
    expect(await select('$[?@ >= 199999]', long)).toEqual([199_999]);
    expect(await select('$[*]', long)).toHaveLength(200_000);
    expect(await select('$[199999]', long)).toEqual([199_999]);
  });

  it('has work left for long texts and for one pattern on many', async () => {
    const text = 'a'.repeat(400_000);
    expect(await select('$[?length(@) == 400000]', [text])).toHaveLength(1);
    expect(await select('$[?search(@, "b$")]', [`${text.slice(0, 20_000)}b`])).toHaveLength(1);
    const many = Array.from({ length: 5_000 }, () => 'a');
    expect(await select('$[?match(@, "a")]', many)).toHaveLength(5_000);
  });

  it('takes a query of 4,096 characters, and none that is longer', async () => {
    expect(await problemOfJsonPath(`$.${'a'.repeat(4_094)}`)).toBeUndefined();
    expect(await problemOfJsonPath(`$.${'a'.repeat(4_095)}`)).toContain('longer than 4096');
  });

  it('walks data of any depth', async () => {
    const deep = JSON.parse(`${'[0,'.repeat(50_000)}1${']'.repeat(50_000)}`) as unknown;
    expect(await select('$..[?@ == 1]', deep)).toEqual([1]);
  });

  it.each([
    ['$[?count($..*) > 1]', 'it takes too much work on this JSON'],
    ['$[*][?$[?@[?$[?@.a == 1]]]]', 'it takes too much work on this JSON'],
    ['$[?match($[0].text, $[0].pattern)]', 'it takes too much work on this JSON'],
  ])('gives up on %s in time', async (path, reason) => {
    const item = { text: 'a'.repeat(20_000), pattern: '(?:.{1,40}\\b){1,20}$' };
    const document = Array.from({ length: 3_000 }, () => item);
    await expect(select(path, document)).rejects.toThrow(reason);
  });

  it.each<[string, () => unknown[]]>([
    ['$[?$[-1] == 1]', () => Array.from({ length: 20_000 }, () => 0)],
    ['$[?@ == $[0]]', () => [numbersUpTo(2_000), ...Array<unknown>(2_000).fill(numbersUpTo(2_000))]],
    [
      '$[?match(@.text, @.pattern)]',
      () => numbersUpTo(1_000).map((index) => ({ text: 'b', pattern: `${'a'.repeat(120)}${index}` })),
    ],
  ])('counts the work of places, of equality and of patterns: %s', async (path, document) => {
    await expect(select(path, document())).rejects.toThrow('too much work');
  });

  it('says so where equality would go too deep', async () => {
    const nest = (): string => '['.repeat(200_000) + ']'.repeat(200_000);
    const document = JSON.parse(`[${nest()},${nest()}]`) as unknown;
    await expect(select('$[?@ == $[1]]', document)).rejects.toThrow('nested too deeply');
  });
});

function numbersUpTo(end: number): number[] {
  return Array.from({ length: end }, (_, index) => index);
}
