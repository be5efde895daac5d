import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { invalidArguments, validArguments } from './call-arguments.ts';
import { samplePattern } from './sample-pattern.ts';
import { sampleText } from './sample-scalars.ts';
import { checkableSchema } from './schema-parts.ts';

type Schema = Readonly<Record<string, unknown>>;

const names = fc.constantFrom('path', 'query', 'limit', 'id', 'url', 'names', 'since', 'options', 'mode');
const number = fc
  .record({ low: fc.integer({ min: -1_000, max: 1_000 }), span: fc.integer({ min: 2, max: 500 }) })
  .chain(({ low, span }) =>
    fc.constantFrom<Schema>(
      { type: 'integer' },
      { type: 'number', minimum: low },
      { type: 'integer', minimum: low, maximum: low + span },
      { type: 'number', exclusiveMinimum: low, exclusiveMaximum: low + span },
      { type: 'integer', multipleOf: 5, minimum: low, maximum: low + span + 10 },
      { type: 'number', default: low },
    ),
  );
const text = fc
  .record({ least: fc.integer({ min: 0, max: 20 }), span: fc.integer({ min: 0, max: 50 }) })
  .chain(({ least, span }) =>
    fc.constantFrom<Schema>(
      { type: 'string' },
      { type: 'string', minLength: least },
      { type: 'string', minLength: least, maxLength: least + span },
      { type: 'string', enum: ['red', 'green', 'blue'] },
      { type: 'string', examples: ['first', 'second'] },
      { type: ['string', 'null'] },
      { const: 'fixed' },
      ...['date', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'hostname'].map((format) => ({
        type: 'string',
        format,
      })),
      ...['^[a-z]{3,8}$', '^\\d{4}-\\d{2}$', '^(?:ab|cd)+[0-9]?$', '^[A-Z][\\w-]*$', 'x.y'].map((pattern) => ({
        type: 'string',
        pattern,
      })),
    ),
  );
const { schema: anySchema } = fc.letrec<{ schema: Schema; object: Schema; array: Schema; choice: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    text,
    number,
    fc.constant<Schema>({ type: 'boolean' }),
    tie('object'),
    tie('array'),
    tie('choice'),
  ),
  object: fc
    .record({
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 4, depthIdentifier: 'schema' }),
      isClosed: fc.boolean(),
      requiredShare: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ properties, isClosed, requiredShare }) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, requiredShare),
      ...(isClosed && { additionalProperties: false }),
    })),
  array: fc
    .record({ items: tie('schema'), least: fc.integer({ min: 0, max: 3 }), span: fc.integer({ min: 0, max: 3 }) })
    .map(({ items, least, span }) => ({ type: 'array', items, minItems: least, maxItems: least + span })),
  choice: fc
    .tuple(fc.constantFrom('anyOf', 'allOf'), text, number)
    .map(([keyword, a, b]) => (keyword === 'anyOf' ? { anyOf: [a, b] } : { allOf: [a, { description: 'more' }] })),
}));
const argumentSchema = fc
  .record({
    properties: fc.dictionary(names, anySchema, { minKeys: 1, maxKeys: 5 }),
    requiredCount: fc.integer({ min: 0, max: 5 }),
    isClosed: fc.boolean(),
  })
  .map(({ properties, requiredCount, isClosed }) => ({
    type: 'object',
    properties,
    required: Object.keys(properties).slice(0, requiredCount),
    ...(isClosed && { additionalProperties: false }),
  }));

function checkable(schema: unknown) {
  const usable = checkableSchema(schema);
  if (!usable) throw new Error('the schema cannot be used');
  return usable;
}

describe('generated arguments', () => {
  it('fit the schema when they are to be valid, and break it when they are to be invalid', () => {
    fc.assert(
      fc.property(argumentSchema, fc.nat(), (schema, seed) => {
        const made = validArguments(checkable(schema), 5, seededRandom(seed));
        const { problemsIn } = compileJsonSchema(schema);
        expect(made.length).toBeGreaterThan(0);
        for (const args of made) expect(problemsIn(args)).toEqual([]);
        for (const { args, isInvalid } of invalidArguments(checkable(schema), made[0] ?? {}))
          expect(problemsIn(args).length > 0).toBe(isInvalid);
      }),
      { seed: 7, numRuns: repetitions({ usual: 40, inFull: 200 }) },
    );
  });

  it('are the same for the same seed', () => {
    const schema = checkable({ type: 'object', properties: { n: { type: 'number' }, s: { type: 'string' } } });
    expect(validArguments(schema, 8, seededRandom(3))).toEqual(validArguments(schema, 8, seededRandom(3)));
    expect(validArguments(schema, 8, seededRandom(3))).not.toEqual(validArguments(schema, 8, seededRandom(4)));
  });

  it('begin with what is known to be good, then use what the schema suggests', () => {
    const schema = checkable({
      type: 'object',
      properties: { city: { type: 'string', examples: ['Oslo'] }, days: { type: 'integer', default: 3, maximum: 7 } },
      required: ['city'],
    });
    const made = validArguments(schema, 5, seededRandom(1), [{ city: 'Rome' }, { city: 5 }]);
    expect(made.slice(0, 3)).toEqual([{ city: 'Rome' }, { city: 'Oslo' }, { city: 'Oslo', days: 3 }]);
    expect(made).toContainEqual({ city: 'Berlin', days: 7 });
  });

  it('can be made for schemas that refer to each other and to themselves', () => {
    const schema = checkable({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name'],
        },
      },
    });
    expect(validArguments(schema, 3, seededRandom(1)).length).toBeGreaterThan(1);
  });

  it('are made from what can be checked when a schema has more', () => {
    const schema = checkable({
      type: 'object',
      properties: { mail: { type: 'string', format: 'email', pattern: '^(?!\\.)[^@]+@[^@]+$' } },
      required: ['mail'],
      unevaluatedProperties: false,
    });
    expect(schema.isWhole).toBe(false);
    expect(validArguments(schema, 1, seededRandom(1))).toEqual([{ mail: 'ada@example.com' }]);
  });

  it('are not made where nothing can fit', () => {
    const schema = checkable({ type: 'object', properties: { no: false }, required: ['no'] });
    expect(validArguments(schema, 3, seededRandom(1))).toEqual([]);
  });
});

describe('invalid arguments', () => {
  it('are wrong in one place each, and say which', () => {
    const schema = checkable({
      type: 'object',
      properties: {
        text: { type: 'string' },
        mode: { enum: ['a', 'b'] },
        count: { type: 'integer', minimum: 1, maximum: 9 },
      },
      required: ['text', 'count'],
      additionalProperties: false,
    });
    const probes = invalidArguments(schema, { text: 'hello', count: 2 });
    const lines = probes.map(({ defect, argument }) => `${defect} ${argument ?? ''}`.trim());
    expect(lines).toEqual([
      'missing text',
      'missing count',
      'wrong-type text',
      'wrong-type count',
      'wrong-type mode',
      'not-in-enum mode',
      'out-of-range count',
      'extra assay_unknown_argument',
      'empty',
      'huge-text text',
    ]);
    expect(probes.filter(({ isInvalid }) => !isInvalid).map(({ defect }) => defect)).toEqual(['huge-text']);
  });
});

describe('samples of patterns', () => {
  it.each([
    ['^\\d{4}-\\d{2}-\\d{2}$', '2025-01-31'],
    ['^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', '2025-01-31T12:00:00Z'],
    ['^[\\w.@-]+$', 'Ada'],
  ])('that usual texts fit are such texts: %s', (pattern, text) => {
    expect(sampleText({ type: 'string', pattern }, 'name', 'usual', seededRandom(5))).toBe(text);
  });

  it.each(['^a+b?c*$', '[A-Z]{2}-\\d{3,5}', '(foo|bar)\\.(txt|md)', '^[^/]+/\\w+$', '^$', '[-+]?\\d+', '#[0-9a-f]{6}'])(
    '%s is matched',
    (pattern) => {
      const random = seededRandom(5);
      for (let count = 0; count < 20; count++) expect(samplePattern(pattern, random)).toMatch(new RegExp(pattern));
    },
  );

  it.each(['(?=a)b', '\\bword', '(a', '[a', '\\p{L}', '(?<name>a)'])('%s is not understood', (pattern) => {
    expect(samplePattern(pattern, seededRandom(5))).toBeUndefined();
  });
});
