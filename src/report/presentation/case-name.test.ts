import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseName } from './case-name.ts';
import { trialTitle } from './trial-text.ts';

describe('caseName', () => {
  const question = 'Where is my order?';
  const long = `${'Write a very long story about winter. '.repeat(20)}`;

  it.each([
    ['{{city}}', '{"city":"Oslo"}', 'Oslo'],
    ['{{ city }} in {{season}}', '{"city":"Oslo","season":4}', 'Oslo in 4'],
    ['{{n}}', '{"n":[1,2]}', '[1,2]'],
    ['{{mark}}', '{"mark":"#3"}', '#3 #3'],
    ['{{city}} (test-2)', question, `${question} (test-2)`],
    ['{{city}}', '{"city":"Os…', '{"city":"Os…'],
    ['{{other}}', '{"city":"Oslo"}', 'Oslo'],
    ['row-4', '{"city":"Oslo"}', 'row-4 Oslo'],
    ['case-2', '{"city":"Oslo","days":3}', 'case-2 city: Oslo, days: 3'],
    ['row-4', '{"city":{"name":"Oslo"}}', 'row-4 {"city":{"name":"Oslo"}}'],
    ['#', question, `# ${question}`],
    ['#3', question, `#3 ${question}`],
    ['<text>', question, `<text> ${question}`],
    ['', question, question],
    ['#3', ' two\n lines ', '#3 two lines'],
  ])('%j with the input %j is %j', (caseId, input, expected) => {
    expect(caseName(caseId, input)).toBe(expected);
  });

  it('leaves names alone that say something, and those without an input', () => {
    for (const caseId of ['case three', 'row 7', 'issue #12 again', 'a < b', '検索', '3'])
      expect(caseName(caseId, question)).toBe(caseId);
    for (const input of [undefined, null, '', '  ']) expect(caseName('#3', input)).toBe('#3');
  });

  it('keeps to a length that fits a list, whatever the input is', () => {
    expect(caseName('#3', long)).toHaveLength(63);
    expect(caseName('{{text}}', JSON.stringify({ text: long })).length).toBeLessThanOrEqual(120);
    fc.assert(
      fc.property(fc.string(), fc.string(), (caseId, input) => {
        expect(caseName(caseId, input).length).toBeLessThanOrEqual(caseId.length + 122);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('is left out of titles only where a file has one input, not for the first of several', () => {
    const titles = ['input', 'case-1', 'case-2'].map((caseId) =>
      trialTitle({ scenario: 'Say', caseId, variant: {}, repeat: 1 }),
    );
    expect(titles).toEqual(['Say', 'Say › case-1', 'Say › case-2']);
  });

  it('is in the titles of trials', () => {
    const trial = { scenario: 'Shop', caseId: '#3', variant: {}, repeat: 2 };
    expect(trialTitle({ ...trial, excerpt: { input: question } })).toBe(`Shop › #3 ${question} (repeat 2)`);
    expect(trialTitle({ ...trial, input: question })).toBe(`Shop › #3 ${question} (repeat 2)`);
    expect(trialTitle(trial)).toBe('Shop › #3 (repeat 2)');
  });
});
