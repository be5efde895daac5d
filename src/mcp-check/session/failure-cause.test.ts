import { describe, expect, it } from 'vitest';
import { judgeProbe, judgeValidCall } from '../calls/judge-call.ts';
import { readsLikeError } from './answer-text.ts';
import { missingNeed } from './failure-cause.ts';

describe('a refusal', () => {
  it.each([
    ['Not connected to a database. Use connect_db tool first.', 'an open connection'],
    ['No session found for ID: 17', 'an open connection'],
    ['An error occurred while making the request', 'network access'],
    ['Unable to make request: TypeError: fetch failed', 'network access'],
    ['No default project is configured', 'a setting'],
    ['The city is not known', undefined],
    ['no connection to the thermometer', undefined],
  ])('speaks of what is missing here: %s', (text, need) => {
    expect(missingNeed(text)).toBe(need);
  });
});

it('accepts nothing where the result cannot be read', () => {
  const result = { toolResult: { isError: true, content: [{ type: 'text', text: 'Error: `city` is required' }] } };
  const end = { kind: 'answer', answer: { kind: 'result', result, latencyMs: 1 } } as const;
  const probe = { args: {}, defect: 'missing', argument: 'city', isInvalid: true } as const;
  const found = judgeProbe(probe, end, { wasGood: true, refusals: new Set() });
  expect(found).toMatchObject([{ rule: { id: 'result-malformed' }, cause: 'there is no `content`.' }]);
});

describe('a result without `isError`', () => {
  const answer = (text: string) =>
    ({ kind: 'result', result: { content: [{ type: 'text', text }] }, latencyMs: 1 }) as const;

  it('reads like an error, except where it says of each of several items how it went', () => {
    expect(readsLikeError(answer('.: Error - EISDIR: illegal operation'), 'read_files', { path: '.' })).toBe(true);
    expect(readsLikeError(answer('.: Error - EISDIR: illegal operation'), 'read_files', { paths: ['.'] })).toBe(false);
    expect(readsLikeError(answer('Error: EISDIR'), 'read_files', { paths: ['.'] })).toBe(true);
    expect(readsLikeError(answer('{"error":"index out of range"}'), 'get_problems')).toBe(false);
    expect(readsLikeError(answer('{"error":"fetch failed"}'), 'get_problems')).toBe(true);
  });
});

it('blames the result where the SDK of the server refuses to send it', () => {
  const message = 'MCP error -32602: Invalid tools/call result: [{ "code": "invalid_union" }]';
  const found = judgeValidCall({
    tool: 'search',
    args: {},
    end: { kind: 'answer', answer: { kind: 'error', code: -32_602, message, latencyMs: 1 } },
    outputSchema: undefined,
    hasOutputSchema: false,
    mayBeRight: () => false,
  });
  expect(found.map(({ rule }) => rule.id)).toEqual(['result-malformed']);
});
