import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ask,
  contextOf,
  conversationTrace,
  describeVerdict,
  inWords,
  whenOf,
} from '../../../../testing/fakes/score/conversation.ts';
import type { Evaluator } from '../../evaluator.ts';
import { comparesWithExpected } from './answer-text.ts';
import { contains, equals, notContains, startsWith } from './comparisons.ts';
import { refusal } from './refusal.ts';
import { regex } from './regex.ts';
import { similarity } from './similarity.ts';

const noMessage = 'fail: There is no assistant message to look at';
const noAnswer = 'error NOT_OBSERVED: Not all answers were observed: no answer was recorded.';

async function withExpected(evaluator: Evaluator, expected: unknown, text: string): Promise<string> {
  return inWords(
    await ask(evaluator, {}, contextOf(conversationTrace({ text }), expected)).catch((error) => ({
      state: 'error',
      error,
    })),
  );
}

describe('a text in another normalisation', () => {
  const [composed, decomposed] = ['Café für zwei', 'Café für zwei'.normalize('NFD')];

  it.each([contains, equals, startsWith, similarity])('is the same text for $type', async (evaluator) => {
    expect(composed).not.toBe(decomposed);
    expect(await withExpected(evaluator, composed, decomposed)).toMatch(/^pass/);
    expect(await withExpected(evaluator, decomposed, composed)).toMatch(/^pass/);
  });

  it('is the same text for not-contains and regex', async () => {
    expect(await describeVerdict(notContains, { text: composed }, { text: decomposed })).toMatch(/^fail/);
    expect(await describeVerdict(regex, { pattern: '^Café' }, { text: decomposed })).toMatch(/^pass/);
  });
});

describe('an empty text of the case', () => {
  it.each([contains, equals, startsWith, similarity])('is unusable for $type', async (evaluator) => {
    expect(await withExpected(evaluator, ' ', 'Anything')).toMatch(/^error CRITERION_UNUSABLE: .* is empty/);
    expect(comparesWithExpected({ type: evaluator.type, config: {} })).toBe(true);
    expect(comparesWithExpected({ type: evaluator.type, config: { text: 'a' } })).toBe(false);
  });
});

describe('regex', () => {
  it.each([
    [{ pattern: 'BK-\\d{5}' }, 'Ref BK-12345.', 'pass: The answer matches /BK-\\d{5}/'],
    [{ pattern: 'BK-\\d{5}' }, 'Ref BK-123.', 'fail: The answer does not match /BK-\\d{5}/; it is "Ref BK-123."'],
    [{ pattern: 'sorry', mustMatch: false }, 'Done.', 'pass: The answer does not match /sorry/'],
    [{ pattern: 'sorry', mustMatch: false }, 'sorry', 'fail: The answer matches /sorry/; it is "sorry"'],
    [{ pattern: '^b$', flags: 'im' }, 'a\nB', 'pass: The answer matches /^b$/im'],
    [{ pattern: 'a.b', flags: 'gs' }, 'a\nb', 'pass: The answer matches /a.b/gs'],
    [{ pattern: 'x|b', flags: 'i' }, 'B', 'pass: The answer matches /x|b/i'],
    [{ pattern: 'a' }, '', 'fail: The answer does not match /a/; it is empty'],
  ])('%j on %j', async (config, text, words) => {
    expect(await describeVerdict(regex, config, { text })).toBe(words);
  });

  it('fails without an assistant message, whatever it looks for', async () => {
    expect(await describeVerdict(regex, { pattern: 'a' }, {})).toBe(noMessage);
    expect(await describeVerdict(regex, { pattern: 'a', mustMatch: false }, {})).toBe(noMessage);
    expect(inWords(await ask(regex, { pattern: 'a' }, contextOf([])))).toBe(noAnswer);
  });

  it('looks at the last words of a turn that used tools', async () => {
    const messages = [
      { role: 'assistant', content: 'Let me look.' } as const,
      { role: 'tool', content: 'BK-00000' } as const,
      { role: 'assistant', content: [{ type: 'text', text: 'It is BK-11111' }] },
      { role: 'assistant', content: null } as const,
    ];
    expect(await describeVerdict(regex, { pattern: 'BK-1' }, { messages: messages as never })).toContain('pass');
    expect(await describeVerdict(regex, { pattern: 'Let me' }, { messages: messages as never })).toContain('fail');
  });

  it.each([
    ['(a', 'missing closing )'],
    ['(?=a)b', 'invalid or unsupported Perl syntax'],
    ['(a)\\1', 'invalid escape sequence'],
    ['x{2000}', 'invalid repeat count'],
  ])('refuses %s when the scenario is loaded', (pattern, why) => {
    const [issue] = regex.configSchema.safeParse({ pattern }).error?.issues ?? [];
    expect(issue?.message).toContain(`the regular expression cannot be used: ${why}`);
    expect(issue?.path).toEqual(['pattern']);
  });

  it('refuses flags that it does not know', () => {
    expect(regex.configSchema.safeParse({ pattern: 'a', flags: 'y' }).success).toBe(false);
  });

  it('gives up on a text that is too long for a large pattern, which is not a verdict', async () => {
    const pattern = '(?:a{0,500}b){2}';
    const text = 'a'.repeat(2_000_000);
    expect(await describeVerdict(regex, { pattern }, { text })).toContain('error CRITERION_UNUSABLE');
  });

  it('takes no longer for patterns that others backtrack in', async () => {
    const text = `${'a'.repeat(100_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*(.*)*x$']) {
      expect(await describeVerdict(regex, { pattern }, { text })).toContain('fail');
    }
  });
});

describe('contains and not-contains', () => {
  it.each([
    [contains, { text: 'ok' }, 'All ok', 'pass: The answer contains "ok"'],
    [contains, { text: 'OK' }, 'All ok', 'fail: The answer does not contain "OK"; it is "All ok"'],
    [contains, { text: 'OK', caseSensitive: false }, 'All ok', 'pass: The answer contains "OK"'],
    [contains, { text: 'STRASSE', caseSensitive: false }, 'Die Straße', 'pass: The answer contains "STRASSE"'],
    [contains, { text: ['a', 'b', 'c'] }, 'a', 'fail: The answer does not contain "b", "c"; it is "a"'],
    [contains, { text: ['a', 'b'], match: 'any' }, 'b', 'pass: The answer contains "b"'],
    [contains, { text: ['a', 'b'], match: 'any' }, '', 'fail: The answer does not contain "a", "b"; it is empty'],
    [notContains, { text: 'secret' }, 'fine', 'pass: The answer does not contain "secret"'],
    [notContains, { text: ['x', 'fi'] }, 'fine', 'fail: The answer contains "fi"; it is "fine"'],
    [notContains, { text: 'FINE', caseSensitive: false }, 'fine', 'fail: The answer contains "FINE"; it is "fine"'],
  ])('%# %j', async (evaluator, config, text, words) => {
    expect(await describeVerdict(evaluator, config, { text })).toBe(words);
  });

  it('need words: what must not be said is not said in an empty answer either', async () => {
    for (const text of ['', ' \n']) {
      expect(await describeVerdict(notContains, { text: 'x' }, { text })).toBe('fail: The answer is empty');
      expect(await describeVerdict(regex, { pattern: 'x', mustMatch: false }, { text })).toBe(
        'fail: The answer is empty',
      );
      expect(await describeVerdict(refusal, {}, { text })).toBe('fail: The answer is empty');
    }
  });

  it('never agree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string({ minLength: 1 }), fc.boolean(), async (text, part, caseSensitive) => {
        const config = { text: part, caseSensitive };
        fc.pre(text.trim() !== '');
        const [one, other] = [
          await describeVerdict(contains, config, { text }),
          await describeVerdict(notContains, config, { text }),
        ];
        expect(one.startsWith('pass')).toBe(other.startsWith('fail'));
        if (caseSensitive) expect(one.startsWith('pass')).toBe(text.includes(part));
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe('equals and starts-with', () => {
  it.each([
    [equals, { text: 'four' }, ' four\n', 'pass: The answer is "four"'],
    [equals, { text: 'four', trim: false }, 'four\n', 'fail: The answer is not "four"; it is "four"'],
    [equals, { text: 'Four' }, 'four', 'fail: The answer is not "Four"; it is "four"'],
    [equals, { text: 'Four', caseSensitive: false }, 'four', 'pass: The answer is "Four"'],
    [startsWith, { text: 'Dear' }, '\nDear Ann', 'pass: The answer begins with "Dear"'],
    [
      startsWith,
      { text: 'Dear', trim: false },
      '\nDear Ann',
      'fail: The answer does not begin with "Dear"; it is "Dear Ann"',
    ],
    [startsWith, { text: 'dear' }, 'Dear Ann', 'fail: The answer does not begin with "dear"; it is "Dear Ann"'],
  ])('%# %j', async (evaluator, config, text, words) => {
    expect(await describeVerdict(evaluator, config, { text })).toBe(words);
  });
});

describe('similarity', () => {
  it.each([
    [{ text: 'kitten', minimum: 0.57 }, 'sitting', 'pass: Similarity 0.571, wanted at least 0.57'],
    [
      { text: 'kitten', minimum: 0.58 },
      'sitting',
      'fail: Similarity 0.571, wanted at least 0.58: not "kitten"; it is "sitting"',
    ],
    [{ text: 'same' }, ' same ', 'pass: Similarity 1, wanted at least 0.8'],
    [{ text: 'SAME', caseSensitive: false }, 'same', 'pass: Similarity 1, wanted at least 0.8'],
    [{ text: 'same' }, '', 'fail: Similarity 0, wanted at least 0.8: not "same"; it is empty'],
    [{ text: '👍👍', minimum: 0.5 }, '👍x', 'pass: Similarity 0.5, wanted at least 0.5'],
  ])('%j with %j', async (config, text, words) => {
    expect(await describeVerdict(similarity, config, { text })).toBe(words);
  });

  it('gives the similarity as score', async () => {
    const context = contextOf(conversationTrace({ text: 'abcd' }));
    expect(await ask(similarity, { text: 'abcx', minimum: 0.9 }, context)).toMatchObject({
      state: 'fail',
      value: 0.75,
    });
  });

  it('does not try texts that take too long', async () => {
    const text = 'ab'.repeat(100_000);
    expect(await describeVerdict(similarity, { text: 'ba'.repeat(100_000) }, { text })).toBe(
      'error CRITERION_UNUSABLE: Texts of 200000 and 200000 characters are too long to be compared.',
    );
  });
});

describe('assertions on text', () => {
  it.each([contains, equals, startsWith, similarity])(
    'take what the case expects for want of a text (%#)',
    async (evaluator) => {
      expect(await withExpected(evaluator, '42', '42')).toContain('pass');
      expect(await withExpected(evaluator, 42, '42')).toContain('pass');
      expect(await withExpected(evaluator, '43', 'no')).toContain('fail');
      for (const useless of [undefined, { a: 1 }, null]) {
        const words = await withExpected(evaluator, useless, '42');
        expect(words).toBe('error CRITERION_UNUSABLE: There is no text to compare the answer with.');
      }
    },
  );

  it.each([contains, notContains, equals, startsWith, similarity])('fail without a message (%#)', async (evaluator) => {
    expect(await describeVerdict(evaluator, { text: 'a' }, {})).toBe(noMessage);
    expect(inWords(await ask(evaluator, { text: 'a' }, contextOf([])))).toBe(noAnswer);
  });

  it('say when they must hold', () => {
    const eventually = [contains, equals, startsWith, similarity].map((evaluator) => whenOf(evaluator, { text: 'a' }));
    expect(eventually).toEqual(['eventually', 'eventually', 'eventually', 'eventually']);
    expect(whenOf(notContains, { text: 'a' })).toBe('every-turn');
    expect(whenOf(regex, { pattern: 'a' })).toBe('eventually');
    expect(whenOf(regex, { pattern: 'a', mustMatch: false })).toBe('every-turn');
  });

  it('look at the result of a tool that was called directly', async () => {
    const trace = [
      { type: 'tool-result', at: 0, seenBy: 'engine', callId: 'c', durationMs: 1, result: { ok: 1 } },
    ] as const;
    expect(inWords(await ask(contains, { text: '"ok":1' }, contextOf(trace)))).toContain('pass');
  });
});
