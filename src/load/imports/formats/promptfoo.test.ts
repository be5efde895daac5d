import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';

const fixture = readFileSync(new URL('fixtures/promptfoo.json', import.meta.url), 'utf8');

describe('results of promptfoo', () => {
  it.each([
    ['as one document', fixture],
    ['on one line', JSON.stringify(JSON.parse(fixture))],
  ])('become trials with their verdicts and figures, %s', async (_how, text) => {
    const { format, trials, problems } = await readImport(text, { name: 'results.json' });
    expect({ format, problems }).toEqual({ format: 'promptfoo', problems: [] });
    expect(trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['capital', 'pass', 'All assertions passed'],
      ['capital', 'fail', 'Expected output to contain "Paris"'],
      ['test-2', 'error', 'promptfoo could not judge it: API error: 503 Service Unavailable'],
      ['no assertion', 'skipped', 'the test has no assertions'],
    ]);
    expect(trials[0]).toMatchObject({
      variant: { model: 'openai:gpt-x', guidance: 'short' },
      durationMs: 420,
      costUsd: 0.0002,
      metrics: { score: 0.9, brevity: 0.8 },
      checks: [
        { name: 'contains', state: 'pass', value: 1 },
        { name: 'llm-rubric', state: 'pass', value: 0.8, reason: 'It is one word' },
      ],
    });
    expect(trials[1]?.variant).toEqual({ model: 'openai:gpt-x', guidance: 'long' });
    expect(eventsIn(trials[0])).toContainEqual(
      expect.objectContaining({ type: 'usage', inputTokens: 12, outputTokens: 2, costUsd: 0.0002 }),
    );
    expect(eventsIn(trials[1]).slice(0, 2)).toEqual([
      { type: 'message', role: 'system', text: 'Think' },
      { type: 'message', role: 'user', text: 'capital of France?' },
    ]);
    expect(eventsIn(trials[3])).toContainEqual({ type: 'tool-call', callId: 'c1', tool: 'book', input: { seat: 4 } });
  });

  it('one per line: repeats are the same case, tests of one description are not', async () => {
    const line = (testIdx: number, question: string) =>
      JSON.stringify({
        ...{ promptIdx: 0, testIdx, success: true, provider: 'p', prompt: { raw: 'x', label: 'x' } },
        testCase: { description: 'd', vars: { question }, assert: [{ type: 'equals' }] },
      });
    const { format, trials } = await readImport([line(0, 'a'), line(1, 'a'), line(2, 'b')].join('\n'));
    expect(format).toBe('promptfoo');
    expect(trials.map(({ caseId }) => caseId)).toEqual(['d', 'd', 'd (test-3)']);
  });

  it.each([
    [
      'version 1, without a version',
      (results: unknown[], stats: object) => ({ results, stats, table: { head: {}, body: [] } }),
    ],
    [
      'version 2',
      (results: unknown[], stats: object) => ({ version: 2, results, stats, table: { head: {}, body: [] } }),
    ],
    [
      'version 2 with its config',
      (results: unknown[], stats: object) => ({ results: { version: 2, results, stats }, config: {} }),
    ],
  ])('of earlier programs become trials: %s', async (_name, fileOf) => {
    const result = (text: string, success: boolean, gradingResult: object | null) => ({
      ...{ prompt: { raw: `say ${text}`, display: 'say {{text}}' }, vars: { text }, provider: { id: 'openai:gpt-4' } },
      ...{ response: { output: text, tokenUsage: { total: 5, prompt: 4, completion: 1 } }, success, gradingResult },
    });
    const results = [
      result('a', true, { pass: true, score: 1, reason: 'All assertions passed', componentResults: [] }),
      result('b', false, { pass: false, score: 0, reason: 'Expected "b" to equal "c"' }),
      result('c', true, { pass: true, score: 1, reason: 'No assertions', assertion: null }),
      result('d', true, null),
    ];
    const { format, trials, problems } = await readImport(
      JSON.stringify(fileOf(results, { successes: 3, failures: 1, tokenUsage: {} })),
    );
    expect({ format, problems }).toEqual({ format: 'promptfoo', problems: [] });
    expect(trials.map(({ verdict }) => verdict?.state)).toEqual(['pass', 'fail', 'skipped', 'skipped']);
    expect(trials[1]).toMatchObject({ caseId: 'test-2', variant: { model: 'openai:gpt-4' } });
  });

  it('that are none are refused with what is missing', async () => {
    const read = await readImport('{"evalId":"e","results":{"results":[{"promptIdx":1}]}}', { format: 'promptfoo' });
    expect(reported(read)).toEqual([
      '1: not a result: `success` with `promptIdx`, `testCase`, or `prompt` and `vars` is missing',
    ]);
    const unknown = await readImport('{"evalId":"e","config":{}}', { name: 'x.json' });
    expect(reported(unknown)).toEqual([
      '1: unknown format: it has `evalId`, `config`; promptfoo needs results with `promptIdx` and `success`',
    ]);
  });
});
