import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { idProblem, readReply } from './read-reply.ts';

const schema = z.object({ score: z.number().min(0).max(1), reason: z.string() });

describe('readReply', () => {
  it('reads JSON of the schema, blanks around it included', () => {
    expect(readReply(' {"score": 1, "reason": ""}\n', schema)).toEqual({
      isReadable: true,
      value: { score: 1, reason: '' },
    });
  });

  it.each(['```json\n{"score": 1, "reason": ""}\n```', '```{"score": 1, "reason": ""}```'])(
    'reads JSON in a fence: %j',
    (text) => {
      expect(readReply(text, schema)).toMatchObject({ isReadable: true, value: { score: 1 } });
    },
  );

  it.each([
    ['', 'the reply is empty'],
    ['{"score":1', 'the reply is not JSON'],
    ['{"score":2,"reason":""}', 'score'],
    ['{"score":1,"reason":"","score":0}', 'the key "score" is given twice'],
    ['Either {"score":1,"reason":""} or {"score":0,"reason":""}', 'the reply has 2 JSON objects instead of one'],
    ['{"verdict": {"score":1,"reason":""}, "more', 'the reply is not JSON'],
    ['It is {"score":1,"reason":"","score":0}', 'the key "score" is given twice'],
  ])('says what is wrong with %j', (text, problem) => {
    expect(readReply(text, schema)).toEqual({ isReadable: false, problem: expect.stringContaining(problem) });
  });

  it('gives a value of the schema or a short problem for any text, and never throws', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      fc.json().map((text) => text.slice(0, text.length / 2)),
      fc.record({ score: fc.double(), reason: fc.string() }).map((reply) => JSON.stringify(reply)),
      fc.json().map((text) => `\`\`\`json\n${text}\n\`\`\``),
      fc.nat(20_000).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const reading = readReply(text, schema);
        if (reading.isReadable) expect(schema.parse(JSON.parse(reading.amongWords ?? text))).toEqual(reading.value);
        else expect(reading.problem.length).toBeLessThanOrEqual(600);
      }),
      { seed: 11, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });

  it('ignores unrequested keys', () => {
    const reply = '{"score":1,"reason":"","__proto__":{"score":0},"sure":true}';
    expect(readReply(reply, schema)).toEqual({ isReadable: true, value: { score: 1, reason: '' } });
  });

  it('reads the only object of its form among any words without braces', () => {
    const reply = '{"score":1,"reason":"a } in a text"}';
    const words = fc.string().map((text) => text.replace(/[{}"]/g, ''));
    fc.assert(
      fc.property(words, words, (before, after) => {
        const reading = readReply(`${before} {"unrelated":{}} ${reply}${after}`, schema);
        expect(reading).toMatchObject({ isReadable: true, value: { score: 1 }, amongWords: reply });
      }),
      { seed: 12, numRuns: repetitions({ usual: 100, inFull: 1_000 }) },
    );
  });
});

describe('idProblem', () => {
  it('accepts exactly the requested ids, in any order', () => {
    expect(idProblem(['a', 'b'], ['b', 'a'])).toBeUndefined();
  });

  it('names what is missing, extra and repeated', () => {
    expect(idProblem(['a', 'b'], ['b', 'b', 'c'])).toBe('missing: a; not requested: c; answered twice: b');
  });
});
