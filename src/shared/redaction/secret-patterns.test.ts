import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ordinaryLines } from '../../testing/fakes/secrets/ordinary-lines.ts';
import { channels, unknownSecrets } from '../../testing/fakes/secrets/unknown-secrets.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { redactPatterns, redactPersonal } from './secret-patterns.ts';

const samplesPerKind = repetitions({ usual: 8, inFull: 60 });
const linesPerKind = repetitions({ usual: 80, inFull: 400 });

const written = Object.entries(unknownSecrets).flatMap(([kind, secrets]) =>
  fc
    .sample(secrets, { numRuns: samplesPerKind, seed: 41 })
    .flatMap(({ value, text }) =>
      Object.entries(channels).map(([channel, write]) => ({ kind, channel, value, text: write(text) })),
    ),
);
const ordinary = Object.entries(ordinaryLines).flatMap(([kind, lines]) =>
  fc.sample(lines, { numRuns: linesPerKind, seed: 42 }).map((line) => ({ kind, line })),
);

/** The worst share of any group: a kind that is always missed cannot hide among the others. */
function worstShare<Item>(items: readonly Item[], groupOf: (item: Item) => string, isBad: (item: Item) => boolean) {
  const shares = [...new Set(items.map(groupOf))].map((group) => {
    const members = items.filter((item) => groupOf(item) === group);
    return { group, share: members.filter(isBad).length / members.length };
  });
  return shares.reduce((worst, each) => (each.share > worst.share ? each : worst));
}

describe('redactPatterns', () => {
  const isMissed = ({ text, value }: (typeof written)[number]) => redactPatterns(text).includes(value);

  it(`finds unknown secrets in ${written.length} texts`, () => {
    expect(written.filter(isMissed).length / written.length).toBeLessThanOrEqual(0.02);
    expect(new Set(written.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(150);
    expect(worstShare(written, ({ kind }) => kind, isMissed).share).toBeLessThanOrEqual(0.02);
    expect(worstShare(written, ({ channel }) => channel, isMissed).share).toBeLessThanOrEqual(0.02);
  });

  it(`leaves ${ordinary.length} ordinary lines alone`, () => {
    expect(ordinary.filter(({ line }) => redactPatterns(line) !== line).slice(0, 5)).toEqual([]);
  });

  it('changes nothing the second time', () => {
    const changed = written.map(({ text }) => redactPatterns(text)).filter((clean) => redactPatterns(clean) !== clean);
    expect(changed.slice(0, 5)).toEqual([]);
  });

  it('keeps JSON what it is', () => {
    const texts = [...written.filter(({ channel }) => channel.startsWith('JSON')).map(({ text }) => text)];
    for (const text of [...texts, '{"password":12345678,"pin_passcode": 987654}'])
      expect(() => JSON.parse(redactPatterns(text))).not.toThrow();
    expect(redactPatterns('{"password":12345678}')).toBe('{"password":"[REDACTED]"}');
  });

  it('says what was there', () => {
    expect(redactPatterns('sk-abcdefghij0123456789ABCD')).toBe('sk-[REDACTED]');
    expect(redactPatterns('Authorization: Bearer abc.def-123_456~789+/==')).toBe('Authorization: Bearer [REDACTED]');
    expect(redactPatterns('api_key: "a1b2c3d4e5f6"')).toBe('api_key: "[REDACTED]"');
    expect(redactPatterns('password: hunter2!')).toBe('password: [REDACTED]');
    expect(redactPatterns('token=a1b2c3d4')).toBe('token=[REDACTED]');
    expect(redactPatterns('TOKEN=/9j4AAQSkZJRgABAQ12x=')).toBe('TOKEN=[REDACTED]');
    expect(redactPatterns('TOKEN=/srv/9j4AAQSkZJRgABAQ12x')).toBe('TOKEN=/srv/9j4AAQSkZJRgABAQ12x');
    expect(redactPatterns('Authorization: Basic dXNlcjpob3JzZQ==')).toBe('Authorization: Basic [REDACTED]');
    expect(redactPatterns('Authorization: Basic abcdefghi')).toBe('Authorization: Basic abcdefghi');
    expect(redactPatterns('postgres://admin:s3cr3t@db/app')).toBe('postgres://admin:[REDACTED]@db/app');
    expect(redactPatterns('{"args":["login","--token","a1b2c3d4e5f6"]}')).toBe(
      '{"args":["login","--token","[REDACTED]"]}',
    );
  });

  it('takes out a private key whose lines are numbered, and one without an end', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
    const numbered = `1\t-----BEGIN PRIVATE KEY-----\n2\t${line}\n3\t${line}\n4\tAAAA==\n5\t-----END PRIVATE KEY-----\n6\tend`;
    expect(redactPatterns(numbered)).toBe('1\t[REDACTED PRIVATE KEY]\n6\tend');
    expect(redactPatterns(`-----BEGIN EC PRIVATE KEY-----\n${line}\n${line}\nnot a key`)).toBe(
      '[REDACTED PRIVATE KEY]\nnot a key',
    );
    expect(redactPatterns('a line with -----BEGIN PRIVATE KEY----- and words')).toBe(
      'a line with [REDACTED PRIVATE KEY] and words',
    );
  });

  it('reads a hostile megabyte to its end', () => {
    const starts = [
      'a',
      '-',
      '--',
      'key ',
      'key=',
      'sk-',
      'eyJ.',
      'eyJaaaaaaaaa.',
      '://:',
      'token="',
      '\\',
      '@',
      ' ',
      '-----BEGIN ',
    ];
    for (const start of [...starts, '-----BEGIN PRIVATE KEY-----\n', 'bearer ', '--token', 'A1', '/home/'])
      expect(redactPatterns(redactPersonal(start.repeat(1_000_000 / start.length)))).not.toBe('');
  });
});

describe('redactPersonal', () => {
  it('takes out addresses and the names of home folders', () => {
    expect(redactPersonal('by jane.doe+x@mail.example.org, ok')).toBe('by [REDACTED_EMAIL], ok');
    expect(redactPersonal('/home/jane/project/a.ts')).toBe('/home/[REDACTED_USER]/project/a.ts');
    expect(redactPersonal('/home/jane is full')).toBe('/home/[REDACTED_USER] is full');
    expect(redactPersonal('in /Users/jane/x')).toBe('in /Users/[REDACTED_USER]/x');
    expect(redactPersonal('C:\\Users\\Jane Doe\\x')).toBe('C:\\Users\\[REDACTED_USER]\\x');
    expect(redactPersonal('"C:\\\\Users\\\\jane\\\\x"')).toBe('"C:\\\\Users\\\\[REDACTED_USER]\\\\x"');
  });

  it('leaves packages, remotes and web pages alone', () => {
    for (const text of ['pkg@1.2.3', '@scope/name', 'git@github.com:a/b.git', 'https://example.com/home/page', '/home'])
      expect(redactPersonal(text)).toBe(text);
  });
});
