import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findRows } from './yaml-rows.ts';
import { parseYamlSource } from './yaml-source.ts';

const count = 200;

/** Ways of writing values that are easily misread. */
const unusual = [
  ...['true', 'False', 'NULL', '~', 'yes', 'no', 'two words', 'a  b', 'a/b.c', 'e5', '.5', '0x1F', '0o7', 'a-', 'a -b'],
  ...[
    '-0',
    '0',
    '0.0',
    '00',
    '1e3',
    '1_000',
    '+1',
    '.inf',
    '.nan',
    '1.',
    '-1.50',
    '12:30',
    '2024-01-01',
    '- 1',
    'a: b',
  ],
  ...["'it''s'", '"a\\nb"', '"a, b: {c}"', "'# no comment'", '""', "''", '"é 😀"', "'a' b", 'a #b', '9007199254740993'],
  ...[
    '!!str 1',
    '&x 1',
    '*x',
    '<<',
    '__proto__',
    '',
    'a,',
    '{}',
    '[]',
    '[ ]',
    '[1,2]',
    '{a: 1}',
    '{ a: 1 , b: 2 }',
    '{a:1}',
  ],
];
const unusualKeys = ['true', 'Null', '<<', 'constructor', '__proto__', '"q"', "'q'", '1', 'a b', '? a', 'name'];

const scalar = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('c0', 'null', 'two words', 'a/b.c', 'False', '"a, b"', "'c: d'") },
  { weight: 10, arbitrary: fc.integer().map(String) },
  { weight: 5, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 5, arbitrary: fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...unusual) },
);
const key = fc.oneof(
  { weight: 30, arbitrary: fc.stringMatching(/^[a-z_][a-z0-9-]{0,4}$/) },
  { weight: 1, arbitrary: fc.constantFrom(...unusualKeys) },
);

const { row } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, tie('row'), tie('list')),
  list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
  row: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((pairs) =>
      pairs.length === 0 ? '{}' : `{ ${pairs.map(([name, value]) => `${name}: ${value}`).join(', ')} }`,
    ),
}));

/** The value, or undefined where the text is refused. */
function wholeOf(text: string): unknown {
  try {
    return parse(text, { merge: true, logLevel: 'error' });
  } catch {
    return undefined;
  }
}

function textOf(rows: readonly string[]): string {
  return ['name: big', 'cases:', '  - { name: first }', ...rows.map((each) => `  - ${each}`), 'last: [x]', ''].join(
    '\n',
  );
}

describe('rows of YAML', () => {
  /** Whether the line was read as a row, which must then mean the same as in a document. */
  const isRowAsRead = (written: string): boolean => {
    const rows = findRows(textOf(Array.from({ length: count }, () => written)));
    if (!rows) return false;
    const [expected] = wholeOf(`- ${written}`) as [object];
    expect(rows.values.at(-1)).toStrictEqual(expected);
    expect(Object.keys(rows.values.at(-1) as object)).toEqual(Object.keys(expected));
    return true;
  };

  it('mean what the parser of whole documents says that they mean, or are left to it', () => {
    const drawn = fc.sample(row, 600).filter((written) => isRowAsRead(String(written)));
    expect(drawn.length).toBeGreaterThan(120);
    const listed = unusual.flatMap((value) => [`{ a: ${value} }`, `{ a: ${value}, b: 1 }`, `{a: [${value}]}`]);
    const keyed = unusualKeys.map((name) => `{ name: 1, ${name}: 2 }`);
    expect([...listed, ...keyed].filter(isRowAsRead).length).toBeGreaterThan(20);
  });

  const plain = Array.from(
    { length: 2 * count },
    (_, index) => `{ name: c${index}, input: { a: [${index}, "t"], b: x y } }`,
  );

  it('are found with the rest of the text around them, each value at its place', () => {
    const text = textOf(plain);
    expect(findRows(text)?.values).toHaveLength(2 * count + 1);
    const source = parseYamlSource('a.yaml', text);
    expect(source.value).toEqual(wholeOf(text));
    // A line with a comment is not a row, so the parser reads all of this.
    const whole = parseYamlSource('a.yaml', text.replaceAll(/b: x y \} \}$/gm, 'b: x y } } # c'));
    expect(whole.value).toEqual(source.value);
    const paths = [[], ['name'], ['cases'], ['cases', 0], ['cases', 0, 'name'], ['cases', 7, 'input', 'a', 1]];
    for (const path of [...paths, ['cases', 2 * count], ['cases', 9_999], ['last', 0], ['none']]) {
      expect([path, source.locate(path)]).toEqual([path, whole.locate(path)]);
      expect(source.locateKey(path, 'input')).toEqual(whole.locateKey(path, 'input'));
      expect(source.locateInString(path, 2)).toEqual(whole.locateInString(path, 2));
    }
  });

  it.each([
    ['a block of text', ['text: |', ...plain.map((each) => `  - ${each}`), '']],
    ['a quoted text', ['text: "', ...plain.map((each) => `  - ${each.replaceAll('"', "'")}`), '  "', '']],
    ['an alias', ['first: &all', ...plain.map((each) => `  - ${each}`), 'second: *all', '']],
    ['a list in a list', ['deep:', '  - - 1', ...plain.map((each) => `    - ${each}`), '  - last', '']],
  ])('are no rows where they are something else: %s', (_what, lines) => {
    const text = lines.join('\n');
    expect(parseYamlSource('a.yaml', text).value).toEqual(wholeOf(text));
  });

  it.each([
    ['a key that is there twice', [...plain, '{ name: a, name: b }'], 'duplicate key'],
    ['a line that belongs to a row', [...plain, '{ name: a }\n      more: 1'], 'sequence item without -'],
    ['an open bracket', [...plain, '{ name: a'], 'is missing'],
  ])('do not hide a problem: %s', (_what, rows, message) => {
    expect(() => parseYamlSource('a.yaml', textOf(rows))).toThrow(message);
  });

  it('may be more than a call has arguments', () => {
    const many = Array.from({ length: 185_000 }, (_, index) => `{ input: ${index} }`);
    const { value } = parseYamlSource('a.yaml', textOf(many)) as { value: { cases: unknown[] } };
    expect(value.cases).toHaveLength(185_001);
  });
});
