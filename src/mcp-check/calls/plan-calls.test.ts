import { describe, expect, it } from 'vitest';
import { planCalls } from './plan-calls.ts';

const settings = { callsPerTool: 1, seed: 5, knownArguments: new Map(), callsAll: true, call: [], skip: [] };

function mayBeRight(inputSchema: object, refusal: string): boolean {
  const definition = { name: 'get_notes', description: 'Gets notes.', inputSchema };
  const plan = planCalls({ ...definition, outputSchema: undefined, annotations: {}, definition }, settings);
  if (plan.leftOut !== undefined) throw new Error(plan.leftOut);
  return plan.mayBeRight(refusal);
}

describe('a refusal of arguments that fit the schema', () => {
  const refusal = 'Input validation error: documents must be an array';

  it.each([
    ['the schema has no type, which is a finding', {}, true],
    ['the argument has no type, which is a finding', { type: 'object', properties: { documents: {} } }, true],
    ['another argument has no type', { type: 'object', properties: { other: {} } }, false],
    ['the argument has a type', { type: 'object', properties: { documents: { type: 'string' } } }, false],
  ])('may be right: %s', (_, schema, expected) => {
    expect(mayBeRight(schema, refusal)).toBe(expected);
  });
});
