import { StringDecoder } from 'node:string_decoder';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
import { redactingStream } from './redacting-stream.ts';
import { redactionOf, redactionWithPatterns } from './redaction.ts';
import { secretForms } from './secret-forms.ts';

const secrets = [
  'sk-ant-api03-AbCdEfGh_IjKl-0123456789',
  'pässwörd/mit "Zeichen" & +\\ 漢字😀',
  'k9'.repeat(60),
  'line-one-of-the-secret\nline-two-of-the-secret',
];

function throughStream(chunks: readonly string[], known: readonly string[], withPatterns = false): string {
  const stream = redactingStream({ secrets: known, withPatterns });
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
}

function cutAtByte(bytes: Buffer, index: number): string[] {
  const decoder = new StringDecoder('utf8');
  return [decoder.write(bytes.subarray(0, index)), decoder.write(bytes.subarray(index)), decoder.end()];
}

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return sorted.slice(1).map((place, index) => text.slice(sorted[index], place));
}

describe('redactingStream', () => {
  const cases = secrets.flatMap((secret) => secretForms(secret).map((form) => ({ secret, form })));
  const splits = cases.flatMap(({ secret, form }) => {
    const bytes = Buffer.from(`before ${form} after`);
    return Array.from({ length: bytes.length + 1 }, (_, index) => ({ secret, form, bytes, index }));
  });

  it(`lets no known value through: ${cases.length} forms, ${splits.length} splits at every byte`, () => {
    const leaks = splits.filter(({ secret, form, bytes, index }) =>
      throughStream(cutAtByte(bytes, index), [secret]).includes(form),
    );
    expect(leaks).toEqual([]);
  });

  it('lets no known value through that comes a character at a time', () => {
    const leaks = cases.filter(({ form }) => throughStream([...`x${form}y`], secrets).includes(form));
    expect(leaks).toEqual([]);
  });

  it('gives what the whole text would give, however it is cut', () => {
    const part = fc.oneof(
      fc.constantFrom('abcdefgh', 'efghijkl', 'abab', 'ababababab', 'abcd', 'efgh', '\n', 'YWJjZGVmZ2g='),
      fc.string({ maxLength: 5 }),
    );
    const secrets = ['abcdefgh', 'efghijkl', 'abababab'];
    const redact = redactionOf(secrets);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), (parts, places) => {
        const text = parts.join('');
        expect(throughStream(cutAt(text, places), secrets)).toBe(redact(text));
      }),
      { seed: 51, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });

  it('finds what has the shape of a secret however it is cut', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${`${'MIIEvQIBADANBgkqhkiG'.repeat(3)}\n`.repeat(5)}-----END PRIVATE KEY-----\n`;
    const text = `start\nTOKEN=a1b2c3d4e5f6g7\n${key}https://u:pa55word@host/ and abcdefgh\nrest sk-zyxwvutsrq0123456789`;
    const clean = redactionWithPatterns(['abcdefgh'])(text);
    expect(clean).not.toMatch(/a1b2c3|MIIE|pa55|sk-zyx|abcdefgh/);
    for (let place = 0; place <= text.length; place++)
      expect(throughStream(cutAt(text, [place]), ['abcdefgh'], true)).toBe(clean);
    expect(throughStream([...text], ['abcdefgh'], true)).toBe(clean);
  });

  it('holds back no more than it needs', () => {
    const stream = redactingStream({ secrets: ['a-secret-of-24-characters'], withPatterns: true });
    const chunk = 'x'.repeat(1_000);
    let out = 0;
    for (let count = 1; count <= 200; count++) {
      out += stream.push(chunk).length;
      expect(count * chunk.length - out).toBeLessThanOrEqual(20_000);
    }
    expect(out + stream.end().length).toBe(200_000);
  });

  it('gives out lines as they come when it knows nothing', () => {
    const stream = redactingStream({ secrets: [], withPatterns: true });
    expect(stream.push('one\ntw')).toBe('one\n');
    expect(stream.push('o\n')).toBe('two\n');
    expect(redactingStream({ secrets: [], withPatterns: false }).push('at once')).toBe('at once');
    const many = 'a line\n'.repeat(5_000);
    expect(redactingStream({ secrets: [], withPatterns: true }).push(`${many}rest`)).toBe(many);
    expect(redactingStream({ secrets: [], withPatterns: true }).push('one\ntwo -----BEGIN ')).toBe('one\n');
  });

  it('gives out what stands behind a private key as soon as the key has ended', () => {
    const stream = redactingStream({ secrets: [], withPatterns: true });
    expect(stream.push('-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n')).toBe('');
    expect(stream.push('-----END PRIVATE KEY-----\nafter\n')).toBe('[REDACTED PRIVATE KEY]\nafter\n');
  });

  it.each([' ', '"', ';'])('cuts a line without an end where no token is torn apart: %j', (gap) => {
    const token = 'sk-zyxwvutsrq0123456789ABCD';
    for (let offset = 0; offset <= token.length; offset++) {
      const text = `${`words${gap}`.repeat(1_600)}${token}${gap}${'x'.repeat(10)}${gap}${'y'.repeat(8_192 - 12 - offset)}`;
      expect(throughStream([text, 'z'], [], true)).toBe(redactionWithPatterns([])(`${text}z`));
    }
  });
});
