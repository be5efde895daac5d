import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodings, isReadable } from '../../testing/support/encodings.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { redactingStream } from './redacting-stream.ts';
import { redactDeep, redactionOf } from './redaction.ts';

const secret = 'Kd83hf+Qz71&mLw0/xV<bT=';
const redact = redactionOf([secret]);

describe('a secret, however it is written', () => {
  it.each(Object.keys(encodings))('is read by anyone, and by none after the redaction: %s', (name) => {
    const written = `before ${encodings[name]?.(secret)} after`;
    expect(isReadable(written, secret)).toBe(true);
    const clean = redact(written);
    expect(isReadable(clean, secret)).toBe(false);
    expect(clean).toMatch(/^before .* after$/s);
    const inJson = JSON.stringify(redactDeep({ list: [{ [written]: written }] }, redact));
    expect(isReadable(inJson, secret)).toBe(false);
    expect(isReadable(redact(JSON.stringify({ written })), secret)).toBe(false);
    for (let cut = 0; cut <= written.length; cut++) {
      const stream = redactingStream({ secrets: [secret], withPatterns: false });
      expect(stream.push(written.slice(0, cut)) + stream.push(written.slice(cut)) + stream.end()).toBe(clean);
    }
  });
});

describe('any secret', () => {
  const sign = fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.~+/=&<>%$!*@:\\"\'#');
  const anySecret = fc
    .array(sign, { minLength: 12, maxLength: 40 })
    .map((signs) => signs.join(''))
    .filter((text) => /\d/.test(text) && /^\w.*\w$/.test(text));

  it(`is read in none of ${Object.keys(encodings).length} writings`, () => {
    const readable: string[] = [];
    fc.assert(
      fc.property(anySecret, (value) => {
        const clean = redactionOf([value]);
        for (const [name, write] of Object.entries(encodings)) {
          const written = `a: ${write(value)} b`;
          if (isReadable(written, value) && isReadable(clean(written), value)) readable.push(`${name}: ${value}`);
        }
      }),
      { seed: 47, numRuns: repetitions({ usual: 20, inFull: 1_000 }) },
    );
    expect(readable).toEqual([]);
  });
});
