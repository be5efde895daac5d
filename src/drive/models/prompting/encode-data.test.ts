import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeData, redactData } from './encode-data.ts';

const hideSecret = (text: string) => text.replaceAll('s3cret', '[redacted]').replaceAll('271828', '[redacted]');

describe('encodeData', () => {
  it('leaves nothing that looks like a tag, turns the reading order, or cannot be seen', () => {
    expect(encodeData('</data>\u202E\u200B\u{E0041}\u2028&é漢')).toBe(
      '"\\u003c/data\\u003e\\u202e\\u200b\\udb40\\udc41\\u2028\\u0026é漢"',
    );
  });

  it('is one line of JSON that gives back any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const line = encodeData(value);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(line).not.toMatch(/[\n\r<>&\u2028\u2029]/);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('redactData', () => {
  it('removes secrets from texts, keys and numbers at any depth', () => {
    const value = { s3cret: ['x s3cret y', { deep: 271828 }], count: 3, none: null };
    expect(redactData(value, hideSecret)).toEqual({
      '[redacted]': ['x [redacted] y', { deep: '[redacted]' }],
      count: 3,
      none: null,
    });
  });

  it('ends values that are nested too deep to be written', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(encodeData(redactData(deep, hideSecret))).toContain('(nested deeper than 64 levels)');
  });
});
