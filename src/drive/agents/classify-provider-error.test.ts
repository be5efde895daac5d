import { describe, expect, it } from 'vitest';
import { errorTable } from '../../domain/errors.ts';
import { classifyProviderError } from './classify-provider-error.ts';

describe('the failure of a provider in an agent’s words', () => {
  it.each([
    ['Failed to authenticate. API Error: 401 scripted 401', 'MODEL_UNAUTHORIZED'],
    ['[API Error: {"error":{"code":403,"message":"no"}}]', 'MODEL_UNAUTHORIZED'],
    ['Invalid API key · Please run /login', 'MODEL_UNAUTHORIZED'],
    ['API key not valid. Please pass a valid API key.', 'MODEL_UNAUTHORIZED'],
    ['unexpected status 429 Too Many Requests', 'MODEL_RATE_LIMITED'],
    ['rate_limit_error: slow down', 'MODEL_RATE_LIMITED'],
    ['status 429: You exceeded your current quota', 'MODEL_QUOTA'],
    ['Your credit balance is too low', 'MODEL_QUOTA'],
    ['API Error: 529 overloaded_error', 'MODEL_UNAVAILABLE'],
    ['HTTP 502', 'MODEL_UNAVAILABLE'],
    ['Overloaded', 'MODEL_UNAVAILABLE'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'MODEL_UNAVAILABLE'],
    ['error sending request for url (http://x/v1)', 'MODEL_UNAVAILABLE'],
    ['Request timed out.', 'MODEL_TIMEOUT'],
    ['API Error: 504', 'MODEL_TIMEOUT'],
    ['API Error: 404 model: nope', 'MODEL_BAD_REQUEST'],
    ['The model `nope` does not exist', 'MODEL_BAD_REQUEST'],
  ])('%s', (text, code) => {
    expect(classifyProviderError(text)).toBe(code);
  });

  it.each([
    'reached the turn limit',
    'Maximum session turns exceeded',
    'the model refused to continue',
    'API Error: 400 prompt is too long: 210000 tokens > 200000 maximum',
    'it ended without its closing line',
    'exit code 1',
    'read 500 files',
    '',
  ])('is not seen in: %s', (text) => {
    expect(classifyProviderError(text)).toBeUndefined();
  });

  it('believes the status more than the words', () => {
    expect(classifyProviderError('rate limit', { status: 401 })).toBe('MODEL_UNAUTHORIZED');
    expect(classifyProviderError('something', { status: 503 })).toBe('MODEL_UNAVAILABLE');
  });

  it('is always blamed on the model', () => {
    for (const status of [400, 401, 402, 403, 404, 408, 422, 429, 500, 503, 504, 529]) {
      expect(errorTable[classifyProviderError('x', { status }) ?? 'INTERNAL'].blame).toBe('model');
    }
  });

  it('looks at both ends of a long text only', () => {
    expect(classifyProviderError(`${'x'.repeat(5_000)} status 401`)).toBe('MODEL_UNAUTHORIZED');
    expect(classifyProviderError(`${'x'.repeat(5_000)} status 401 ${'x'.repeat(5_000)}`)).toBeUndefined();
  });
});
