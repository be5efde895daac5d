import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
import { parseExactJson } from '../exact-json.ts';
import { compileJsonSchema, problemOfJsonSchema, UnusableSchema } from './json-schema.ts';
import { TooMuchWork } from './walk.ts';

function problems(schema: unknown, value: unknown): readonly string[] {
  return compileJsonSchema(schema).problemsIn(value);
}

/** One row per keyword: a schema, values that fit it, values that do not. */
const rows: readonly [string, unknown, readonly unknown[], readonly unknown[]][] = [
  ['a schema that allows all', true, [1, null], []],
  ['a schema that allows nothing', false, [], [1, null]],
  ['type', { type: 'integer' }, [1, 1.0, -3], [1.5, '1', null, true]],
  ['several types', { type: ['string', 'null'] }, ['a', null], [1, [], {}]],
  ['number', { type: 'number' }, [1, 1.5], ['1']],
  ['enum', { enum: [1, 'a', { b: [1] }] }, [1, 'a', { b: [1] }], [2, { b: [2] }, '1']],
  ['const', { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  ['limits', { minimum: 1, maximum: 3 }, [1, 3, 'a'], [0, 4]],
  ['exclusive limits', { exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
  ['exclusive limits of draft 4', { minimum: 1, exclusiveMinimum: true }, [2], [1]],
  ['limits of draft 4 that are included', { minimum: 1, exclusiveMinimum: false }, [1], [0]],
  ['multipleOf', { multipleOf: 0.01 }, [0.07, 19.99, 0, 1e300], [0.005]],
  ['length in characters', { minLength: 2, maxLength: 2 }, ['ab', '👍👍', 1], ['a', 'abc', '👍']],
  ['pattern', { pattern: '^a+$' }, ['aa', 1], ['ab', '']],
  ['date', { format: 'date' }, ['2024-02-29', 5], ['2024-02-30', 'today']],
  ['date-time', { format: 'date-time' }, ['2024-02-29T10:00:00+02:00', '2024-02-29T10:00:00Z'], ['2024-02-29']],
  ['email', { format: 'email' }, ['a@example.org'], ['a@', 'a']],
  ['uri', { format: 'uri' }, ['https://example.org/a?b=c'], ['example']],
  ['uuid', { format: 'uuid' }, ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8']],
  ['an unknown format', { format: 'colour' }, ['red'], []],
  ['required', { required: ['a', 'toString'] }, [{ a: 1, toString: 2 }, []], [{ a: 1 }]],
  ['properties', { properties: { a: { type: 'string' } } }, [{ a: 'x' }, { b: 1 }, 'a'], [{ a: 1 }]],
  ['patternProperties', { patternProperties: { '^n_': { type: 'number' } } }, [{ n_a: 1, b: 'x' }], [{ n_a: 'x' }]],
  [
    'additionalProperties',
    { properties: { a: {} }, patternProperties: { '^b': {} }, additionalProperties: false },
    [{ a: 1, bb: 2 }],
    [{ c: 1 }],
  ],
  ['a schema of additional properties', { additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 'x' }]],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  ['number of properties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, { b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  [
    'dependencies of draft 7',
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  ['items', { items: { type: 'number' } }, [[1, 2], [], 'a'], [[1, 'a']]],
  ['prefixItems', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], []], [[1], ['a', 'b']]],
  ['items of draft 7', { items: [{ type: 'string' }], additionalItems: false }, [['a'], []], [['a', 1], [1]]],
  ['contains', { contains: { const: 1 } }, [[2, 1]], [[2], []]],
  [
    'number of what is contained',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [[1, 1]],
    [[1], [1, 1, 1, 1]],
  ],
  ['number of items', { minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', true, [1], { a: 1 }]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 1],
    ],
  ],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
  ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 5 }] }, [2], [0, 6]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  ['if', JSON.parse('{"if":{"minimum":5},"then":{"multipleOf":5},"else":{"maximum":1}}'), [10, 1], [6, 2]],
  [
    'a reference to itself',
    { properties: { next: { $ref: '#' } }, required: ['id'] },
    [{ id: 1 }, { id: 1, next: { id: 2 } }],
    [{ id: 1, next: {} }],
  ],
  ['a reference to a definition', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'number' } } }, [1], ['a']],
  ['a reference to an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'number' } } }, [1], ['a']],
  [
    'a reference with the id of the schema',
    {
      $id: 'https://example.org/s',
      items: { $ref: 'https://example.org/s#/$defs/a' },
      $defs: { a: { type: 'number' } },
    },
    [[1]],
    [['a']],
  ],
  [
    'references inside of a schema with its own address',
    {
      $id: 'https://example.org/outer',
      $defs: { a: { type: 'string' }, inner: { $id: 'inner', $ref: '#/$defs/a', $defs: { a: { type: 'number' } } } },
      prefixItems: [{ $ref: '#/$defs/a' }, { $ref: 'inner' }, { $ref: 'https://example.org/inner#/$defs/a' }],
    },
    [['a', 1, 1]],
    [[1], ['a', 'a'], ['a', 1, 'a']],
  ],
  [
    'a reference that the outermost schema decides',
    {
      $id: 'https://example.org/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          properties: { data: true, children: { items: { $dynamicRef: '#node' } } },
        },
      },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [
    'a reference of 2019-09 that the outermost schema decides',
    {
      $id: 'https://example.org/strict',
      $recursiveAnchor: true,
      $ref: 'tree',
      required: ['data'],
      $defs: { tree: { $id: 'tree', $recursiveAnchor: true, properties: { next: { $recursiveRef: '#' } } } },
    },
    [{ data: 1, next: { data: 2 } }],
    [{ data: 1, next: {} }],
  ],
  [
    'unevaluatedProperties',
    {
      unevaluatedProperties: false,
      properties: { a: {} },
      anyOf: [{ properties: { b: { const: 1 } }, required: ['b'] }, { patternProperties: { '^c': {} } }],
      if: { required: ['d'], properties: { d: {} } },
    },
    [{ a: 1 }, { a: 1, b: 1, c: 1, d: 1 }],
    [{ e: 1 }, { b: 2 }, { a: 1, d: 1, e: 1 }],
  ],
  [
    'unevaluatedProperties that see no neighbours',
    { allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }], not: { required: ['z'] } },
    [{}],
    [{ a: 1 }],
  ],
  [
    'unevaluatedItems',
    { prefixItems: [{}], contains: { type: 'string' }, minContains: 0, unevaluatedItems: { type: 'number' } },
    [[null, 'a', 1], [null]],
    [[null, 'a', null]],
  ],
  ['unevaluatedItems that allow none', { prefixItems: [{}], unevaluatedItems: false }, [[1], []], [[1, 2]]],
  ['a property called $ref', { properties: { $ref: { type: 'string' } } }, [{ $ref: 'a' }], [{ $ref: 1 }]],
  [
    'a property called __proto__',
    JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    [{}],
    [JSON.parse('{"__proto__":1}')],
  ],
];

describe('a JSON Schema', () => {
  it.each(rows)('with %s', (_name, schema, fitting, others) => {
    for (const value of fitting) expect(problems(schema, value)).toEqual([]);
    for (const value of others) expect(problems(schema, value)).not.toEqual([]);
  });

  it('looks at integers that are too large for a double digit by digit', () => {
    const schema = parseExactJson('{"const": 12345678901234567890, "type": "integer", "multipleOf": 10}');
    expect(problems(schema, parseExactJson('12345678901234567890'))).toEqual([]);
    expect(problems(schema, parseExactJson('12345678901234567891'))).not.toEqual([]);
  });

  it('reports where something is wrong, and what', () => {
    const schema = { properties: { 'a b': { items: { enum: ['x'] } }, c: { not: {} } }, additionalProperties: false };
    expect(problems(schema, { 'a b': ['x', 'y'], c: 1, d: 1 })).toEqual([
      '$["a b"][1]: is "y", which is none of 1 allowed value',
      '$.c: fits a schema that it must not fit',
      '$: there is more than is allowed: `d`',
    ]);
  });

  it('reports no more than ten problems, and still decides', () => {
    const list = new Array<number>(1_000).fill(1);
    expect(problems({ items: { type: 'string' } }, list)).toHaveLength(10);
  });
});

describe('a schema that cannot be used', () => {
  it.each([
    ['no schema', 5, [], 'a schema is an object, `true` or `false`'],
    ['a schema in a list that is none', { allOf: [5] }, ['allOf', 0], 'a schema is an object, `true` or `false`'],
    [
      'an unknown type',
      { items: { type: 'intger' } },
      ['items', 'type'],
      'there is no type "intger". Did you mean `integer`?',
    ],
    ['no list of names', { required: 'a' }, ['required'], '`required` must be a list of names'],
    ['a negative count', { minItems: -1 }, ['minItems'], '`minItems` must be a whole number that is not negative'],
    ['a multiple of nothing', { multipleOf: 0 }, ['multipleOf'], '`multipleOf` must be a number above 0'],
    ['an empty list', { anyOf: [] }, ['anyOf'], '`anyOf` must be a list of schemas that is not empty'],
    [
      'properties that are a list',
      { properties: [] },
      ['properties'],
      '`properties` must be an object whose values are schemas',
    ],
    [
      'a misspelt keyword',
      { addtionalProperties: false },
      ['addtionalProperties'],
      'unknown keyword `addtionalProperties`',
    ],
    [
      'a keyword that is not supported',
      { nullable: true },
      ['nullable'],
      '`nullable` is not supported; write `type: ["string", "null"]` instead',
    ],
    ['a reference to nothing', { $ref: '#/$defs/a' }, ['$ref'], '`#/$defs/a` leads to no schema'],
    [
      'a reference to something that is not a schema',
      { $ref: '#/enum/0', enum: [{}] },
      ['$ref'],
      '`#/enum/0` leads to no schema',
    ],
    ['a reference to what is inherited', { $ref: '#/constructor' }, ['$ref'], '`#/constructor` leads to no schema'],
    [
      'a reference to a file',
      { $ref: 'a.json' },
      ['$ref'],
      '`a.json` leads out of the schema; only references such as `#/$defs/name` are followed',
    ],
    [
      'an address with a fragment inside',
      { items: { $id: 'b#c', type: 'string' } },
      ['items', '$id'],
      'a `$id` with a fragment is not supported',
    ],
    [
      'a pattern with look-ahead',
      { pattern: '(?=a)' },
      ['pattern'],
      'the regular expression cannot be used: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      'a broken pattern of names',
      { patternProperties: { '(': {} } },
      ['patternProperties', '('],
      'the regular expression cannot be used: missing closing ): `(`',
    ],
    ['a reference to itself', { $ref: '#' }, [], 'the schema refers to itself without end'],
  ])('%s', (_name, schema, path, message) => {
    const problem = problemOfJsonSchema(schema);
    expect([problem?.path, problem?.message]).toEqual([path, message]);
  });

  it('finds loops of references over any number of steps', () => {
    const chain = (length: number, last: unknown) => ({
      $ref: '#/$defs/n0',
      $defs: Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `n${index}`,
          index === length - 1 ? last : { $ref: `#/$defs/n${index + 1}` },
        ]),
      ),
    });
    const loop = problemOfJsonSchema(chain(5_000, { anyOf: [{ $ref: '#/$defs/n17' }, true] }));
    expect(loop?.message).toBe('the schema refers to itself without end');
    expect(problemOfJsonSchema(chain(5_000, { items: { $ref: '#/$defs/n17' } }))).toBeUndefined();
    expect(() => problems(chain(5_000, true), 1)).toThrow(TooMuchWork);
  });

  it('ignores unknown keywords, since they may be annotations', () => {
    expect(problemOfJsonSchema({ 'x-order': 1, xml: {}, discriminator: {}, example: 1, id: 'a' })).toBeUndefined();
  });
});

describe('hostile schemas and data', () => {
  it('are refused when they are deep or large', () => {
    let deep: unknown = {};
    for (let level = 0; level < 10_000; level++) deep = { not: deep };
    expect(problemOfJsonSchema(deep)?.message).toContain('nested more than 200 levels deep');
    const wide = { allOf: new Array(30_000).fill({}) };
    expect(problemOfJsonSchema(wide)?.message).toBe('it holds more than 20000 schemas');
    const patterns = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${'a'.repeat(20)}${index}`, {}]));
    expect(problemOfJsonSchema({ patternProperties: patterns })?.message).toBe('its patterns are too large');
  });

  it.each([
    ['references that double', { $ref: '#/$defs/n0', $defs: doubling(40) }, 1],
    ['huge enums', { items: { enum: Array.from({ length: 5_000 }, (_, index) => index) } }, new Array(5_000).fill(-1)],
    ['large patterns on long texts', { pattern: '(?:a{0,500}b){2}' }, 'a'.repeat(200_000)],
    [
      'unique items of large items',
      { uniqueItems: true },
      Array.from({ length: 2_000 }, (_, index) => new Array(100).fill(index)),
    ],
  ])('stop after a number of steps: %s', (_name, schema, value) => {
    expect(() => compileJsonSchema(schema, 20_000).problemsIn(value)).toThrow(TooMuchWork);
  });

  it('make no other error than those that are known', () => {
    const keyword = fc.constantFrom(
      'type',
      'allOf',
      'items',
      'properties',
      '$ref',
      'pattern',
      'enum',
      'minimum',
      'if',
      'then',
      'required',
      'dependencies',
      'contains',
      '$defs',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        fc.constantFrom('#', '#/$defs/a', 'string'),
        fc.array(tie('schema')),
        tie('schema'),
      ),
      schema: fc.dictionary(keyword, tie('any'), { maxKeys: 4 }),
    })).schema;
    let usable = 0;
    const numRuns = repetitions({ usual: 100, inFull: 500 });
    fc.assert(
      fc.property(value, fc.jsonValue(), (schema, data) => {
        try {
          expect(Array.isArray(problems(schema, data))).toBe(true);
          usable++;
        } catch (error) {
          expect(error instanceof UnusableSchema || error instanceof TooMuchWork).toBe(true);
        }
      }),
      { seed: 13, numRuns },
    );
    expect(usable).toBeGreaterThan(numRuns / 10);
  });
});

function doubling(count: number): Record<string, unknown> {
  const names = Array.from({ length: count }, (_, index) => index);
  const twice = (index: number) => ({ allOf: [{ $ref: `#/$defs/n${index + 1}` }, { $ref: `#/$defs/n${index + 1}` }] });
  return { ...Object.fromEntries(names.map((index) => [`n${index}`, twice(index)])), [`n${count}`]: true };
}
