import { describe, expect, it } from 'vitest';
import {
  ask,
  contextOf,
  conversationTrace,
  describeVerdict,
  inWords,
  whenOf,
} from '../../../../testing/fakes/score/conversation.ts';
import { jsonPath } from './json-path.ts';
import { jsonSchema } from './json-schema.ts';
import { jsonSubset } from './json-subset.ts';

const noMessage = 'fail: There is no assistant message to look at';
const noAnswer = 'error NOT_OBSERVED: Not all answers were observed: no answer was recorded.';
const schema = {
  type: 'object',
  required: ['id', 'seats'],
  properties: { id: { type: 'string', pattern: '^BK-' }, seats: { type: 'integer', minimum: 1 } },
  additionalProperties: false,
};

function json(value: unknown) {
  return { text: JSON.stringify(value) };
}

describe('json-schema', () => {
  it.each([
    [{ id: 'BK-1', seats: 2 }, 'pass: The answer is JSON that is valid against the schema'],
    [
      { id: 'X', seats: 0.5, vip: true },
      'fail: The answer is not valid against the schema: $.id: is "X", which does not match "^BK-"; $.seats: is 0.5, not integer; $.seats: is 0.5, not at least 1; and more',
    ],
    [{ id: 'BK-1' }, 'fail: The answer is not valid against the schema: $: `seats` is missing'],
  ])('%j', async (value, words) => {
    expect(await describeVerdict(jsonSchema, { schema }, json(value))).toBe(words);
  });

  it.each([
    ['It is booked', 'it is "It is booked"'],
    ['', 'it is empty'],
    ['```json\n{}\n```', 'it is "```json {} ```" (it is inside a Markdown code fence)'],
    ['['.repeat(100_000), 'it is "'],
    [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'it is nested too deeply'],
  ])('fails for an answer that is not JSON (%#)', async (text, why) => {
    expect(await describeVerdict(jsonSchema, { schema: true }, { text })).toContain(
      `fail: The answer is not valid JSON: ${why}`,
    );
  });

  it('fails without a message', async () => {
    expect(await describeVerdict(jsonSchema, { schema }, {})).toBe(noMessage);
    expect(inWords(await ask(jsonSchema, { schema }, contextOf([])))).toBe(noAnswer);
  });

  it('must hold after every answer, or after the last one only', () => {
    expect(whenOf(jsonSchema, { schema })).toBe('every-turn');
    expect(whenOf(jsonSchema, { schema, onlyFinal: true })).toBe('final');
  });

  it('says at load what is wrong with a schema, and where', () => {
    const broken = { type: 'object', properties: { id: { type: 'strnig' } } };
    const [issue] = jsonSchema.configSchema.safeParse({ schema: broken }).error?.issues ?? [];
    expect(issue).toMatchObject({
      path: ['schema', 'properties', 'id', 'type'],
      message: 'unusable JSON Schema: there is no type "strnig". Did you mean `string`?',
    });
    const misspelt = jsonSchema.configSchema.safeParse({ schema: { requried: ['a'] } }).error?.issues[0];
    expect(misspelt).toMatchObject({ path: ['schema', 'requried'], params: { hint: 'Did you mean `required`?' } });
    expect(jsonSchema.configSchema.safeParse({ schema: 'object' }).success).toBe(false);
  });

  it('gives no verdict where a schema takes too much work', async () => {
    const names = Array.from({ length: 40 }, (_, index) => index);
    const doubling = Object.fromEntries(
      names.map((index) => [
        `n${index}`,
        { allOf: [{ $ref: `#/$defs/n${index + 1}` }, { $ref: `#/$defs/n${index + 1}` }] },
      ]),
    );
    const hostile = { $ref: '#/$defs/n0', $defs: { ...doubling, n40: true } };
    expect(await describeVerdict(jsonSchema, { schema: hostile }, json(1))).toContain('error CRITERION_UNUSABLE');
  });
});

describe('json-path', () => {
  const answer = json({ booking: { id: 'BK-1', seats: [1, 2, 3] } });

  it.each([
    [{ path: '$.booking.id' }, 'pass: $.booking.id: there is "BK-1"'],
    [{ path: '$.booking.name' }, 'fail: $.booking.name: path not found, wanted a value'],
    [{ path: '$.booking.id', assertion: 'equals BK-1' }, 'pass: $.booking.id: value is "BK-1", wanted "BK-1"'],
    [{ path: '$.booking.seats', assertion: 'len >= 4' }, 'fail: $.booking.seats: len is 3, wanted >= 4'],
    [{ path: '$.booking.seats[-1]', assertion: '> 2' }, 'pass: $.booking.seats[-1]: value is 3, wanted > 2'],
  ])('%j', async (config, words) => {
    expect(await describeVerdict(jsonPath, config, answer)).toBe(words);
  });

  it('fails for an answer that is not JSON, and without a message', async () => {
    expect(await describeVerdict(jsonPath, { path: '$' }, { text: 'no' })).toBe(
      'fail: The answer is not valid JSON: it is "no"',
    );
    expect(await describeVerdict(jsonPath, { path: '$' }, {})).toBe(noMessage);
  });

  it('gives no verdict where path or assertion are wrong', async () => {
    for (const config of [{ path: '$.[' }, { path: '$', assertion: 'is nice' }]) {
      expect(await describeVerdict(jsonPath, config, answer)).toContain('error CRITERION_UNUSABLE');
    }
    expect(jsonPath.configSchema.safeParse({ path: 'booking.id' }).success).toBe(false);
  });
});

describe('json-subset', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, 'pass: The answer contains all expected values'],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1, d: 2 }], e: 3 } }, 'pass: The answer contains all expected values'],
    [
      { a: { 'b c': 1 } },
      { a: { 'b c': 2 } },
      'fail: The answer does not contain the expected values: $.a["b c"] is 2, wanted 1',
    ],
    [{ a: 1 }, { b: 1 }, 'fail: The answer does not contain the expected values: $.a is missing, wanted 1'],
    [
      { a: [1] },
      { a: [1, 2] },
      'fail: The answer does not contain the expected values: $.a has 2 items, wanted 1 item',
    ],
    [{ a: {} }, { a: [] }, 'fail: The answer does not contain the expected values: $.a is [], wanted an object'],
    [[1], { a: 1 }, 'fail: The answer does not contain the expected values: $ is {"a":1}, wanted an array'],
    [
      { toString: null },
      {},
      'fail: The answer does not contain the expected values: $.toString is missing, wanted null',
    ],
  ])('%j in %j', async (subset, value, words) => {
    expect(await describeVerdict(jsonSubset, { subset }, json(value))).toBe(words);
  });

  it('takes what the case expects for want of a subset', async () => {
    const context = contextOf(conversationTrace(json({ a: 1, b: 2 })), { b: 2 });
    expect(await ask(jsonSubset, {}, context)).toMatchObject({ state: 'pass', value: 1 });
    expect(await describeVerdict(jsonSubset, {}, json({}))).toContain('error CRITERION_UNUSABLE');
  });

  it('fails without a message', async () => {
    expect(await describeVerdict(jsonSubset, { subset: {} }, {})).toBe(noMessage);
  });
});

describe('assertions on JSON', () => {
  it('wait for an answer that holds', () => {
    expect(whenOf(jsonPath, { path: '$' })).toBe('eventually');
    expect(whenOf(jsonSubset, {})).toBe('eventually');
  });
});
