import { describe, expect, it } from 'vitest';
import { readsLikeError } from './answer-text.ts';
import { missingNeed } from './failure-cause.ts';

describe('a refusal', () => {
  it.each([
    ['Not connected to a database. Use connect_db tool first.', 'an open connection'],
    ['No connection to browser extension.', 'an open connection'],
    ['No session found for ID: 17', 'an open connection'],
    ['An error occurred while making the request', 'network access'],
    ['Unable to make request: TypeError: fetch failed', 'network access'],
    ['No default project is configured', 'a setting'],
    ['The city is not known', undefined],
    ['No session of parliament was that long', undefined],
  ])('speaks of what is missing here: %s', (text, need) => {
    expect(missingNeed(text)).toBe(need);
  });
});

describe('a result without `isError`', () => {
  const answer = (text: string) =>
    ({ kind: 'result', result: { content: [{ type: 'text', text }] }, latencyMs: 1 }) as const;

  it('reads like an error, except where it says of each of several items how it went', () => {
    expect(readsLikeError(answer('.: Error - EISDIR: illegal operation'), 'read_files', { path: '.' })).toBe(true);
    expect(readsLikeError(answer('.: Error - EISDIR: illegal operation'), 'read_files', { paths: ['.'] })).toBe(false);
    expect(readsLikeError(answer('Error: EISDIR'), 'read_files', { paths: ['.'] })).toBe(true);
  });
});
