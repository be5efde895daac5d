import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContext } from '../../../testing/fakes/vitest/test-context.ts';
import { ContentScorer, type ContentScorerOptions } from './content-scorer.ts';

const context = testContext();

function scoreOf(output: unknown, options: ContentScorerOptions = {}, expected?: unknown): number {
  return new ContentScorer(options).score(output, expected, context);
}

describe('ContentScorer', () => {
  it.each<[string, unknown, unknown, ContentScorerOptions, number]>([
    ['the same', 'Eight', 'eight', {}, 1],
    ['another case where it matters', 'Eight', 'eight', { caseSensitive: true }, 0],
    ['more than expected', 'it is eight', 'eight', {}, 0],
    ['the result of the case', { content: [{ type: 'text', text: '8' }] }, { result: 8 }, {}, 1],
    ['zero', { result: 0 }, { result: 0 }, {}, 1],
    ['nothing expected', 'eight', undefined, {}, 0],
  ])('compares exactly: %s', (_name, output, expected, options, score) => {
    expect(scoreOf(output, { exactMatch: true, ...options }, expected)).toBe(score);
  });

  it.each<[string, unknown, ContentScorerOptions, number]>([
    ['no demands, a short text', '8', {}, 0.6],
    ['no demands, a longer text', 'the sum is eight', {}, 0.75],
    ['both patterns', '8 ok', { patterns: [/\d+/, /ok/] }, 0.6],
    ['one of two patterns', '8', { patterns: [/\d+/, /ok/] }, 0.45],
    ['a pattern of another case', 'OK', { patterns: [/ok/] }, 0.6],
    ['a pattern of another case where it matters', 'OK', { patterns: [/ok/], caseSensitive: true }, 0.3],
    ['all keywords', 'A Result', { requiredKeywords: ['result', 'A'] }, 0.6],
    ['one of two keywords', 'Result', { requiredKeywords: ['result', 'sum'] }, 0.45],
    ['one of two forbidden', 'an error', { forbiddenKeywords: ['ERROR', 'fail'] }, 0.45],
    ['all forbidden', 'error', { forbiddenKeywords: ['error'] }, 0.3],
  ])('without expected text, %s', (_name, output, options, score) => {
    expect(scoreOf(output, options)).toBeCloseTo(score, 10);
  });

  it.each<[string, unknown, unknown, number]>([
    ['all words, of like length', 'the sum is eight', 'eight is the sum', 0.6 + 0.2 + 0.05],
    ['no words of more than two letters', '8', '8', 0.8],
    ['half of the words, much longer', `sum ${'x '.repeat(50)}`, 'sum product', 0.7],
    ['none of the words', 'nothing', 'sum product', 0.65],
  ])('with expected text, %s', (_name, output, expected, score) => {
    expect(scoreOf(output, {}, expected)).toBeCloseTo(score, 10);
  });

  it('gives a little more for words that the case is about and for naming a tool of the server', () => {
    const score = (name: string, tools: string[], text: string) =>
      new ContentScorer().score(text, undefined, testContext(tools, name));
    expect(score('tool test', [], 'the call was made')).toBeCloseTo(0.8, 10);
    expect(score('workflow test', [], 'the first step is done')).toBeCloseTo(0.8, 10);
    expect(score('other test', [], 'the call was made')).toBeCloseTo(0.75, 10);
    expect(score('other test', ['Add'], 'I used add for it')).toBeCloseTo(0.85, 10);
  });

  it.each([
    ['the content of an answer', { content: [{ type: 'text', text: 'sum' }] }],
    ['a text', { text: 'sum' }],
    ['a result', { result: 'sum' }],
    ['an answer within a result', { result: { content: [{ text: 'sum' }] } }],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'sum' },
        ],
      },
    ],
    ['any object', { value: 'sum' }],
    ['a list', ['sum']],
  ])('reads %s', (_name, output) => {
    const has = (keyword: string) => scoreOf(output, { requiredKeywords: [keyword] });
    expect(has('sum') - has('product')).toBeCloseTo(0.3, 10);
  });

  it('gives the same answer each time for a pattern with the flag g', () => {
    const scorer = new ContentScorer({ patterns: [/\d/g] });
    const scores = Array.from({ length: 3 }, () => scorer.score('8', undefined, context));
    expect(new Set(scores)).toEqual(new Set([scores[0]]));
  });

  it('always gives a number from 0 to 1', () => {
    const words = fc.array(fc.constantFrom('sum', 'error', 'tool', 'add', ''));
    fc.assert(
      fc.property(fc.anything(), fc.anything(), words, words, (output, expected, required, forbidden) => {
        const options = { requiredKeywords: required, forbiddenKeywords: forbidden };
        const score = new ContentScorer(options).score(output, expected, testContext(['add'], 'tool workflow'));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }),
      { seed: 5 },
    );
  });

  it('explains', () => {
    const options = { patterns: [/\d/], requiredKeywords: ['sum'], forbiddenKeywords: ['error'] };
    expect(ContentScorer(options).explain('an error', undefined)).toBe(
      'The text does not match /\\d/, lacks "sum", must not have "error": "an error"',
    );
    expect(ContentScorer({ exactMatch: true }).explain('9', '8')).toBe('Expected exactly "8", got "9"');
  });
});
