import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../shared/json.ts';
import { acceptableSchema } from './input-schema.ts';

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Parts of a schema that some provider would refuse. */
function refusalsIn(schema: unknown, path = '$'): string[] {
  if (!isRecord(schema)) return [`${path} is not a schema`];
  const { type, properties = {}, required = [], items, enum: values, $ref } = schema;
  const own = [
    type !== undefined && ![type].flat().every((one) => types.includes(String(one))) && 'type',
    [type].flat().includes('array') && items === undefined && 'items',
    (!Array.isArray(required) || !required.every((name) => Object.hasOwn(properties as object, name))) && 'required',
    values !== undefined && !(Array.isArray(values) && values.length > 0) && 'enum',
    $ref !== undefined && '$ref',
    !isRecord(properties) && 'properties',
  ];
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] as unknown[] | undefined) ?? []);
  const inner = [...Object.values(properties as object), ...lists, ...(items === undefined ? [] : [items])];
  return [
    ...own.flatMap((word) => (word ? [`${path}: ${word}`] : [])),
    ...inner.flatMap((one) => refusalsIn(one, `${path}.`)),
  ];
}

const keywords = [
  'type',
  'properties',
  'required',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'enum',
  'prefixItems',
  'additionalProperties',
  'pattern',
  'minimum',
  'a',
  'b',
];

const { value: anySchema } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      true,
      false,
      null,
      3,
      'string',
      'array',
      ['array', 'null'],
      ['a', 'b'],
      '#/$defs/a',
      '#',
      '#/properties/a',
      '(',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 5 }),
  ),
}));

describe('the input schema that a model is given', () => {
  it('is one that every provider takes, whatever the server wrote', () => {
    fc.assert(
      fc.property(anySchema, (written) => {
        const schema = acceptableSchema(written);
        expect(refusalsIn(schema)).toEqual([]);
        expect(schema.type).toBe('object');
        expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(['anyOf']));
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it('leaves an ordinary one as it is', () => {
    const ordinary = {
      type: 'object',
      description: 'what to do',
      properties: {
        city: { type: 'string', description: 'Where', minLength: 1, pattern: '^[A-Z]' },
        days: { type: ['integer', 'null'], minimum: 1, default: 3 },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        at: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        more: { type: 'object', properties: { x: { const: 1 } }, required: ['x'], additionalProperties: false },
      },
      required: ['city'],
      additionalProperties: false,
    };
    expect(acceptableSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...ordinary })).toEqual(
      ordinary,
    );
  });

  it('puts what is referred to in its place, and ends circles', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { $ref: '#/$defs/a~1b' } } };
    const schema = {
      type: 'object',
      properties: { first: { $ref: '#/$defs/node', description: 'The first' } },
      $defs: { node, 'a/b': { type: 'string' } },
    };
    expect(acceptableSchema(schema).properties).toEqual({
      first: {
        type: 'object',
        description: 'The first',
        properties: { next: {}, name: { type: 'string' } },
      },
    });
  });

  it('makes one object of several ways to call a tool', () => {
    const byId = { properties: { id: { type: 'string' }, all: { type: 'boolean' } }, required: ['id', 'all'] };
    const byName = { properties: { name: { type: 'string' }, all: { type: 'boolean' } }, required: ['name', 'all'] };
    expect(acceptableSchema({ oneOf: [byId, byName], allOf: [{ required: ['name'] }] })).toMatchObject({
      type: 'object',
      properties: { id: {}, name: {}, all: {} },
      required: ['name', 'all'],
    });
  });

  it('leaves out what is malformed and nothing else', () => {
    const properties = {
      a: { type: 'int', minimum: '3', description: 'kept' },
      b: { type: 'array' },
      c: { type: 'number', exclusiveMinimum: true, required: true },
      d: false,
      e: { type: 'string', pattern: '(', enum: [] },
    };
    expect(acceptableSchema({ properties, required: ['a', 'd', 'gone'] })).toEqual({
      type: 'object',
      properties: {
        a: { description: 'kept' },
        b: { type: 'array', items: {} },
        c: { type: 'number' },
        e: { type: 'string' },
      },
      required: ['a'],
    });
  });

  it('stays small when references multiply', () => {
    const levels = Array.from({ length: 20 }, (_, level) => [
      `l${level}`,
      { properties: { a: { $ref: `#/$defs/l${level + 1}` }, b: { $ref: `#/$defs/l${level + 1}` } } },
    ]);
    const schema = acceptableSchema({ $ref: '#/$defs/l0', $defs: Object.fromEntries(levels) });
    expect(JSON.stringify(schema).length).toBeLessThan(200_000);
  });
});
