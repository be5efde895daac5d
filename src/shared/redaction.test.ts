import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactionOf } from './redaction.ts';

describe('redactionOf', () => {
  it('leaves no known secret in any text, in any of its forms', () => {
    const secret = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' });
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.string(),
        fc.string(),
        (secrets, before, after) => {
          const redact = redactionOf(secrets);
          for (const each of secrets) {
            for (const form of [each, JSON.stringify(each).slice(1, -1), encodeURIComponent(each)]) {
              expect(redact(before + form + after)).not.toContain(form);
            }
            const bytes = Buffer.from(each);
            expect(redact(before + bytes.toString('base64') + after)).not.toContain(bytes.toString('base64'));
            expect(redact(before + bytes.toString('base64url') + after)).not.toContain(bytes.toString('base64url'));
          }
        },
      ),
      { seed: 31 },
    );
  });

  it('replaces a secret that contains another as a whole', () => {
    expect(redactionOf(['12345678', '12345678-long'])('a 12345678-long b')).toBe('a [redacted] b');
  });

  it('leaves texts alone when there is nothing to hide', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactionOf(['', 'short'])(text)).toBe(text);
      }),
      { seed: 32 },
    );
  });
});
