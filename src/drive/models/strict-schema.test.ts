import { describe, expect, it } from 'vitest';
import { isStrictSchema } from './strict-schema.ts';

const strict = {
  type: 'object',
  properties: { pass: { type: 'boolean' }, notes: { type: 'array', items: { type: 'string' } } },
  required: ['pass', 'notes'],
  additionalProperties: false,
};

describe('isStrictSchema', () => {
  it('takes a schema that requires all and allows no more, to any depth', () => {
    expect(isStrictSchema(strict)).toBe(true);
    expect(
      isStrictSchema({ ...strict, properties: { pass: strict, notes: { anyOf: [strict, { type: 'null' }] } } }),
    ).toBe(true);
    expect(isStrictSchema(undefined)).toBe(true);
  });

  it.each([
    ['a property that may be left out', { ...strict, required: ['pass'] }],
    ['no list of what is required', { ...strict, required: undefined }],
    ['further properties', { ...strict, additionalProperties: true }],
    ['nothing said about further properties', { ...strict, additionalProperties: undefined }],
    ['an object that may be anything', { type: 'object' }],
    ['a loose one inside', { ...strict, properties: { pass: { type: 'object' }, notes: {} } }],
    ['a loose one in a list of choices', { anyOf: [strict, { ...strict, required: [] }] }],
  ])('refuses one with %s', (_, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});
