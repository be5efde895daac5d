import { describe, expect, it } from 'vitest';
import { readRateLimits } from './rate-limit-headers.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('readRateLimits', () => {
  it.each([
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 0, 360_000],
    [{ 'x-ratelimit-remaining-requests': '59', 'x-ratelimit-reset-requests': '1s' }, 59, undefined],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1.5s' }, undefined, 1_500],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '20ms' }, undefined, 20],
    [
      {
        'anthropic-ratelimit-requests-remaining': '3',
        'anthropic-ratelimit-output-tokens-remaining': '0',
        'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:00:07Z',
      },
      3,
      7_000,
    ],
    [{ 'x-ratelimit-remaining-requests': '0' }, 0, undefined],
    [{ 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-reset-requests': 'soon' }, undefined, undefined],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '5 minutes' }, 0, undefined],
    [{}, undefined, undefined],
  ])('%j', (headers, remainingRequests, usedUpForMs) => {
    expect(readRateLimits(headers, now)).toEqual({ remainingRequests, usedUpForMs });
  });
});
