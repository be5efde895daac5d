import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { lazySchema } from './lazy-schema.ts';

const person = () => z.strictObject({ name: z.string().min(1), age: z.int().optional() }).describe('a person');

test('a lazy schema is made on first use, once', () => {
  const make = vi.fn(person);
  const schema = lazySchema(make);
  const list = z.object({ people: z.array(schema) });
  expect(make).not.toHaveBeenCalled();
  expect(schema.parse({ name: 'Ada' })).toEqual({ name: 'Ada' });
  expect(list.safeParse({ people: [{ name: '' }] }).error?.issues[0]?.path).toEqual(['people', 0, 'name']);
  expect(make).toHaveBeenCalledTimes(1);
});

test.each([
  ['itself', (schema: z.ZodType) => schema],
  ['a member', (schema: z.ZodType) => z.object({ one: schema, other: schema.optional() })],
  ['a member of a union', (schema: z.ZodType) => z.union([schema, z.string()])],
])('a lazy schema is described like the schema that it becomes: as %s', (_, put) => {
  expect(z.toJSONSchema(put(lazySchema(person)))).toEqual(z.toJSONSchema(put(person())));
});

test('a lazy schema is an instance of the class of the schema, and has its methods', () => {
  expect(lazySchema(person)).toBeInstanceOf(z.ZodObject);
  expect('shape' in lazySchema(person)).toBe(true);
  expect(lazySchema(person).extend({ email: z.email() }).safeParse({ name: 'Ada', email: 'no' }).success).toBe(false);
  expect(lazySchema(() => z.number().min(3)).safeParse(2).success).toBe(false);
});
