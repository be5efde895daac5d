import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesSecret, namesSecretHeader } from './assigned-secrets.ts';
import { redactingStream } from './redacting-stream.ts';
import {
  drawnOf,
  redactedBytes,
  redactedJson,
  redactForReport,
  redactionOf,
  redactionWithPatterns,
  rememberingClean,
} from './redaction.ts';
import { secretForms } from './secret-forms.ts';

const secret = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' });

describe('redactionOf', () => {
  it('leaves no known secret in any text, in any of its forms', () => {
    const secrets = fc.array(secret, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (known, before, after) => {
        const redact = redactionOf(known);
        for (const each of known) {
          const json = JSON.stringify(each).slice(1, -1);
          const bytes = Buffer.from(each);
          const encodings = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding));
          for (const form of [each, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(each), ...encodings])
            expect(redact(before + form + after)).not.toContain(form);
        }
      }),
      { seed: 31 },
    );
  });

  it('finds a secret that a page or Python has escaped', () => {
    const redact = redactionOf([`a<b>&"c'd\\eé`]);
    for (const form of [
      `a&lt;b&gt;&amp;"c'd\\eé`,
      `a&lt;b&gt;&amp;&quot;c&#39;d\\eé`,
      `a&lt;b&gt;&amp;&quot;c&#x27;d\\eé`,
      `a<b>&"c\\'d\\\\eé`,
      `a<b>&"c'd\\\\e\\xc3\\xa9`,
    ])
      expect(redact(`before ${form} after`)).toBe('before [redacted] after');
  });

  const asWritten: Readonly<Record<string, (text: string) => string>> = {
    'percent signs': (text) => text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`),
    'capital percent signs': (text) =>
      text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`),
    'escapes of JSON': (text) => text.replace(/./g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`),
    'escapes of JSON in JSON': (text) => text.replace(/./g, (each) => `\\\\u00${each.charCodeAt(0).toString(16)}`),
    'escapes of Python': (text) => text.replace(/./g, (each) => `\\x${each.charCodeAt(0).toString(16)}`),
    'decimal entities': (text) => text.replace(/./g, (each) => `&#${each.charCodeAt(0)};`),
    'hexadecimal entities': (text) => text.replace(/./g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
    'every other character': (text) =>
      text.replace(/./g, (each, at) => (at % 2 ? `%${each.charCodeAt(0).toString(16)}` : each)),
    capitals: (text) => text.toUpperCase(),
    'small letters': (text) => text.toLowerCase(),
    'cut lines': (text) => text.replace(/.{7}/g, '$&\n'),
    'cut and indented lines': (text) => text.replace(/.{10}/g, '$&\r\n    '),
    'cut lines in JSON': (text) => text.replace(/.{10}/g, '$&\\n  '),
    'cut after the first character': (text) => `${text.slice(0, 1)}\n${text.slice(1)}`,
    colours: (text) => `${text.slice(0, 5)}\u001B[1;31m${text.slice(5, 9)}\u001B[0m${text.slice(9)}`,
    'colours in JSON': (text) => `${text.slice(0, 5)}\\u001b[31m${text.slice(5)}`,
    'cut base64': (text) => Buffer.from(text.repeat(3)).toString('base64').replace(/.{20}/g, '$&\n'),
    'cut hex': (text) => Buffer.from(text).toString('hex').replace(/.{16}/g, '$& \n').replaceAll(' \n', '\n'),
  };

  it.each(Object.keys(asWritten))('finds a secret in %s, also in a stream', (name) => {
    const value = 'Kd83hf-Qz71mLw0/xVbT';
    const write = asWritten[name] ?? String;
    const text = write(value);
    const redact = redactionOf([value, value.repeat(3)]);
    expect(redact(`before ${text} after`)).toMatch(/^before \[redacted\].{0,6} after$/s);
    for (let cut = 0; cut < text.length; cut++) {
      const stream = redactingStream({ secrets: [value, value.repeat(3)], withPatterns: false });
      const out = stream.push(`before ${text.slice(0, cut)}`) + stream.push(`${text.slice(cut)} after`) + stream.end();
      expect(out).toBe(redact(`before ${text} after`));
    }
  });

  it('takes no word for a secret because its letters are the same', () => {
    const redact = redactionOf(['Development']);
    expect(redact('development of DEVELOPMENT')).toBe('development of DEVELOPMENT');
  });

  it('replaces a secret that contains another as a whole', () => {
    expect(redactionOf(['12345678', '12345678-long'])('a 12345678-long b')).toBe('a [redacted] b');
  });

  it('leaves no end of a secret that overlaps another', () => {
    expect(redactionOf(['abcdefgh', 'efghijkl'])('x abcdefghijkl y')).toBe('x [redacted] y');
    expect(redactionOf(['abababab'])('abababababab abab')).toBe('[redacted] abab');
  });

  it('keeps secrets side by side apart', () => {
    expect(redactionOf(['abcdefgh', 'ijklmnop'])('abcdefghijklmnop')).toBe('[redacted][redacted]');
  });

  it('finds a secret that was encoded together with what stands around it', () => {
    const redact = redactionOf(['correct-horse-1']);
    for (const before of ['', 'u', 'us', 'user:'])
      for (const after of ['', 'x', 'yz']) {
        const encoded = Buffer.from(`${before}correct-horse-1${after}`).toString('base64');
        expect(Buffer.from(redact(encoded), 'base64').toString()).not.toContain('horse');
      }
  });

  it('finds a long secret that was wrapped by the program that encoded it', () => {
    const long = 'k9'.repeat(60);
    const redact = redactionOf([long]);
    const wrap = (text: string, width: number, end: string) => text.replace(new RegExp(`.{${width}}`, 'g'), `$&${end}`);
    for (const end of ['\n', '\r\n', '\\n']) {
      expect(redact(wrap(Buffer.from(long).toString('base64'), 76, end))).toMatch(/^\[redacted\].{0,4}$/s);
      expect(redact(wrap(Buffer.from(long).toString('hex'), 60, end))).toMatch(/^\[redacted\].{0,4}$/s);
    }
  });

  it('knows the lines of a secret with several', () => {
    const redact = redactionOf(['-----BEGIN X-----\nAbCdEfGhIjKlMnOpQrSt\nuvwxyz0123456789ABCD\n-----END X-----\n']);
    expect(redact('1: AbCdEfGhIjKlMnOpQrSt')).toBe('1: [redacted]');
    expect(redact('a note on -----BEGIN X-----')).toBe('a note on -----BEGIN X-----');
  });

  it('knows a secret without the line break behind it', () => {
    expect(redactionOf(['s3cret-value\n'])('is s3cret-value.')).toBe('is [redacted].');
  });

  it('takes half a character for what it is', () => {
    expect(redactionOf(['\uD800secret-value'])('x \uD800secret-value')).toBe('x [redacted]');
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

describe('redactionWithPatterns', () => {
  it('takes out what is known and what has the shape of a secret', () => {
    const redact = redactionWithPatterns(['known-value-1']);
    expect(redact('a known-value-1 and TOKEN=a1b2c3d4e5f6')).toBe('a [redacted] and TOKEN=[REDACTED]');
  });

  it('leaves the folders of a shell in, and takes out passwords that are called the same', () => {
    const redact = redactionWithPatterns([]);
    expect(redact('PWD=/tmp/room-7f3a/work OLDPWD=/srv/a1b2')).toBe('PWD=/tmp/room-7f3a/work OLDPWD=/srv/a1b2');
    expect(redact('MYSQL_PWD=hunter2-a1b2')).toBe('MYSQL_PWD=[REDACTED]');
  });

  it('leaves people and folders in, which are evidence', () => {
    expect(redactionWithPatterns([])('/home/jane/x by jane@example.com')).toBe('/home/jane/x by jane@example.com');
  });
});

describe('what leaves', () => {
  const redact = redactionOf(['known-value-1']);

  it('as JSON or drawn has no secret in it', () => {
    expect(redactedJson({ a: ['known-value-1'] }, redact)).toBe('{"a":["[redacted]"]}');
    expect(redactedJson({ a: 1 }, redact, 1)).toBe('{\n "a": 1\n}');
    expect(drawnOf({ a: 'known-value-1' }, redact, ({ a }) => `<${a}>`)).toBe('<[redacted]>');
  });

  it('as bytes has none either, be they a text or not, and stays what it was where there is none', () => {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const bytes = Buffer.from('\u00e4 known-value-1 \u00ff', encoding);
      expect(redactedBytes(bytes, redact)).toEqual(Buffer.from('\u00e4 [redacted] \u00ff', encoding));
    }
    const clean = Buffer.from('nothing');
    expect(redactedBytes(clean, redact)).toBe(clean);
  });
});

it('a secret in an address may have all its signs in percent codes, in capitals or not', () => {
  const forms = secretForms("it's/*a(test)~!");
  expect(forms).toContain('it%27s%2F%2Aa%28test%29%7E%21');
  expect(forms).toContain('it%27s%2f%2aa%28test%29%7e%21');
});

it('a header says by its name that its value is a secret', () => {
  expect(['Authorization', 'X-Api-Key', 'Set-Cookie', 'Accept', 'Content-Type'].map(namesSecretHeader)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ]);
});

describe('redactForReport', () => {
  it('also takes out people and folders', () => {
    const redact = redactForReport(redactionWithPatterns(['known-value-1']));
    expect(redact('known-value-1 in /home/jane/x by jane@example.com')).toBe(
      '[redacted] in /home/[REDACTED_USER]/x by [REDACTED_EMAIL]',
    );
  });
});

describe('what was clean once', () => {
  it('is taken as it is, and what is not clean never is', () => {
    let calls = 0;
    const withoutHush = redactionOf(['hush-hush']);
    const redact = rememberingClean((text) => {
      calls++;
      return withoutHush(text);
    });
    expect([redact('some name'), redact('some name'), redact('hush-hush'), redact('hush-hush')]).toEqual([
      'some name',
      'some name',
      '[redacted]',
      '[redacted]',
    ]);
    expect(calls).toBe(3);
    for (let index = 0; index < 10_000; index++) expect(redact(`a text ${index}`)).toBe(`a text ${index}`);
    expect(calls).toBe(10_003);
    expect([redact('some name'), redact('short')]).toEqual(['some name', 'short']);
    expect(calls).toBe(10_003);
    expect(redact('a hush-hush')).toBe('a [redacted]');
  });
});

describe('the name of a variable', () => {
  it.each([
    'OPENAI_API_KEY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASS',
    'SMTPPASS',
    'GITHUB_PAT',
    'DBPASSWORD',
    'APITOKEN',
    'JWT',
    'JWT_SECRET',
    'clientSecret',
  ])('says that its value is a secret: %s', (name) => {
    expect(namesSecret(name)).toBe(true);
  });

  it.each([
    'PWD',
    'OLDPWD',
    'PASS',
    'PAT',
    'BYPASS',
    'SSH_AUTH_SOCK',
    'MAX_TOKENS',
    'KEYBOARD',
    'PATH',
    'TOKEN_TYPE',
    'COMPASS',
    'passengers',
  ])('says nothing of the kind: %s', (name) => {
    expect(namesSecret(name)).toBe(false);
  });
});
