import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as zod3 from 'zod/v3';
import { checkedConfig } from './plugin-config.ts';

const described = (given: unknown) =>
  z.toJSONSchema(checkedConfig(given).schema, { io: 'input', unrepresentable: 'any' });

const zod4 = z.strictObject({ maxMs: z.number(), unit: z.string().default('ms') });
const older = zod3.z.object({ maxMs: zod3.z.number(), unit: zod3.z.string().default('ms') }).strict();
const oldest = { safeParse: (value: unknown) => older.safeParse(value) };
const standard = {
  '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => zod4['~standard'].validate(value) },
};
const jsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { maxMs: { type: 'number' }, unit: { type: 'string', default: 'ms' } },
  required: ['maxMs'],
  additionalProperties: false,
};

describe.each([
  ['zod 4', zod4],
  ['zod 3', older],
  ['a zod without Standard Schema', oldest],
  ['a Standard Schema', standard],
  ['JSON Schema', jsonSchema],
])('a config described by %s', (_name, given) => {
  const { schema, read } = checkedConfig(given);

  it('is taken when it is right, and read with its defaults', () => {
    expect(schema.safeParse({ maxMs: 3 }).success).toBe(true);
    expect(read({ maxMs: 3 })).toEqual({ maxMs: 3, unit: 'ms' });
  });

  it('is refused at the place where it is wrong', () => {
    const places = schema.safeParse({ maxMs: '3' }).error?.issues.map(({ path }) => path);
    expect(places).toEqual([['maxMs']]);
    expect(schema.safeParse({}).success).toBe(false);
    expect(schema.safeParse({ maxMs: 3, other: 1 }).success).toBe(false);
    expect(schema.safeParse('text').success).toBe(false);
  });

  it('may be left out by a scenario, and is then empty', () => {
    const { error } = schema.prefault({} as never).safeParse(undefined);
    expect(JSON.stringify(error?.issues)).toContain('maxMs');
  });

  it('is not read when it is wrong', () => {
    expect(() => read({ maxMs: '3' })).toThrow();
  });
});

describe('a config schema', () => {
  it('leaves the config plain data until it is used', () => {
    const { schema, read } = checkedConfig(z.object({ pattern: z.string().transform((text) => new RegExp(text)) }));
    expect(schema.parse({ pattern: 'a+' })).toEqual({ pattern: 'a+' });
    expect(read({ pattern: 'a+' })).toEqual({ pattern: /a+/ });
  });

  it('describes itself for documentation and forms', () => {
    const fields = { maxMs: { type: 'number' }, unit: { type: 'string' } };
    expect(described(zod4)).toMatchObject({ type: 'object', properties: fields, required: ['maxMs'] });
    expect(described(jsonSchema)).toMatchObject({ type: 'object', properties: fields });
    expect(described(undefined)).toMatchObject({ type: 'object' });
    expect(described(older)).toBeTypeOf('object');
  });

  it('leaves out references, which would lead nowhere', () => {
    const tree: z.ZodType = z.object({
      get child() {
        return tree.optional();
      },
    });
    expect(JSON.stringify(described(z.object({ tree })))).not.toContain('$ref');
  });

  it('may be missing: any mapping will do', () => {
    const { schema, read } = checkedConfig(undefined);
    expect(read({ anything: 1 })).toEqual({ anything: 1 });
    expect(schema.safeParse([]).success).toBe(false);
  });

  it('of JSON may hold conditions, for which zod has no words', () => {
    const conditional = JSON.parse(`{
      "type": "object",
      "if": { "properties": { "kind": { "const": "long" } }, "required": ["kind"] },
      "then": { "required": ["length"] }
    }`);
    const { schema } = checkedConfig(conditional);
    expect(schema.safeParse({ kind: 'short' }).success).toBe(true);
    expect(schema.safeParse({ kind: 'long' }).success).toBe(false);
  });

  it('of JSON reports the place of a problem', () => {
    const list = { type: 'array', items: { type: 'number' } };
    const { schema } = checkedConfig({ type: 'object', properties: { 'a "b"': list, c: list } });
    const issues = schema.safeParse({ 'a "b"': [1, 'x'], c: 5 }).error?.issues;
    expect(issues?.map(({ path, message }) => [...path, message])).toEqual([
      ['a "b"', 1, 'is "x", not number'],
      ['c', 'is 5, not array'],
    ]);
  });

  it('that waits for something, throws or gives nothing refuses the config and says so', () => {
    const waits = z.object({}).refine(async () => true);
    const throws = {
      safeParse: () => {
        throw new Error('no luck');
      },
    };
    const silent = { safeParse: () => undefined };
    const refusals = [waits, throws, silent].map(
      (given) => checkedConfig(given).schema.safeParse({}).error?.issues[0]?.message,
    );
    expect(refusals).toEqual([
      'the config schema must not be asynchronous',
      'the config schema failed: no luck',
      'the config schema failed: it returned no result',
    ]);
  });

  it.each([
    ['a number', 5],
    ['null', null],
    ['a list', []],
    ['the fields of a zod object', { maxMs: z.number() }],
    ['a type that there is not', { type: 'nope' }],
    ['a pattern that does not parse', { type: 'string', pattern: '(' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema' }],
  ])('cannot be %s', (_name, given) => {
    expect(() => checkedConfig(given)).toThrow(/`configSchema`/);
  });
});
