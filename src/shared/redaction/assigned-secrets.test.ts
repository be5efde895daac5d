import { describe, expect, it } from 'vitest';
import { looksRandom } from './assigned-secrets.ts';
import { redactPatterns } from './secret-patterns.ts';

describe('a value that is given to a name', () => {
  const isTakenOut = (name: string): boolean => redactPatterns(`${name}=a1b2c3d4e5`) === `${name}=[REDACTED]`;

  it.each([
    'api_key',
    'apiKey',
    'MY_KEY',
    'Q_KEY',
    'M9_KEY',
    'serviceKey',
    'token',
    'accessToken',
    'nextpage_token',
    'DB_PASS',
    'dbPass',
    'DBPASS',
    'compass_pass',
    '9PASS',
    'MYSQL_PWD',
    'GITHUB_PAT',
    'githubPat',
    'auth',
    'AUTH',
    'myAuth',
    'my-auth',
    'jwt',
    'userJwt',
    'credential',
    'password',
    'client-secret',
    'apisecret',
    'my_passphrase',
  ])('is a secret: %s', (name) => {
    expect(isTakenOut(name)).toBe(true);
  });

  it.each([
    'key',
    'my_key',
    'my.MY_KEY',
    'MY_KEY2',
    'PRIMARY_KEY',
    'cache_key',
    'cacheKey',
    'monkey',
    'page_token',
    'nextToken',
    'maxtoken',
    'max_token',
    'dbpass',
    'XdbPASS',
    'pass',
    'bypass',
    'BYPASS',
    'PWD',
    'OLDPWD',
    'oldpwd',
    'pat',
    'githubpat',
    'compat',
    'myauth',
    'userjwt',
    'x.key',
  ])('is none: %s', (name) => {
    expect(isTakenOut(name)).toBe(false);
  });

  it.each([
    ['the api key is a1b2c3d4e5', 'the api key is [REDACTED]'],
    ['your token is a1b2c3d4e5', 'your token is [REDACTED]'],
    ['{"api_key":12345678ab}', '{"api_key":"[REDACTED]"}'],
    ["{'password': 12345678}", "{'password': '[REDACTED]'}"],
    ['{"pin_passcode":12345678,"a":1}', '{"pin_passcode":"[REDACTED]","a":1}'],
    ['password : 12345678', 'password : [REDACTED]'],
    ['\\"password\\":12345678', '\\"password\\":\\"[REDACTED]\\"'],
    ['x["password"]=12345678', 'x["password"]=[REDACTED]'],
    ['password=abcdefg1', 'password=[REDACTED]'],
    ['"secret"="Config.token1ab"', '"secret"="[REDACTED]"'],
    ['key token=a1b2c3d4e5', 'key token=[REDACTED]'],
    ['deploy key: a1b2c3d4e5', 'deploy key: [REDACTED]'],
    ['--api-key a1b2c3d4e5', '--api-key [REDACTED]'],
    ['--my-pass a1b2c3d4e5', '--my-pass [REDACTED]'],
    ['xpwd=abcdefg1', 'xpwd=[REDACTED]'],
  ])('is taken out of %s', (text, clean) => {
    expect(redactPatterns(text)).toBe(clean);
  });

  it.each([
    'the key is a1b2c3d4e5',
    'the next token is a1b2c3d4e5',
    'the password is correct',
    'the password is hunter2',
    'the token was invalid',
    'token=makeToken(a1b2c3)',
    'token=makeToken12 (x',
    'token="make1Token2"(x)',
    'api_key=getKey1x(',
    '{"api_key": 1234567890}',
    'token=abc',
    'secret=abcdefgh',
    'secret=abcdefg1',
    'password=abcdefg',
    'passphrase=some words',
    'mypassphrase=abcdef-g',
    'api_key=your-key-1234',
    'api_key=<a1b2c3d4>',
    'secret=sha256',
    'secret=Config.token1',
    'cache key: a1b2c3d4e5',
    '--key a1b2c3d4e5',
    'apipass_token=abcdefgh',
  ])('is nothing in %s', (text) => {
    expect(redactPatterns(text)).toBe(text);
  });
});

it('a text looks random where a name would not look like it', () => {
  const random = [
    'a1b2c3',
    'x1y2z3',
    'aBcDeFgH',
    'aBcDeFgHiJ',
    'AbcdEfghIj',
    'foo-bar-1234',
    'k9-k9-k9',
    'aBcD-eFgH',
    '😀😀😀9a',
  ];
  const written = [
    'a1b2c',
    'abc123',
    'abcdef',
    '123456',
    '12345678',
    '1234-5678',
    'HelloWorld',
    'helloWorld12',
    'aBcDeFg',
    'abCDefgh',
    'ABcdefGH',
    'ABCDEFGH',
    'v1.2.3',
    '1.2.3-beta.1',
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    'foo-bar-12',
    'foo_bar.baz',
    'some-Word-1',
    'xxx123abc',
    'your1key2',
    'not_your1',
    'Zq9Zq9Zq9',
  ];
  expect(random.filter((text) => !looksRandom(text))).toEqual([]);
  expect(written.filter(looksRandom)).toEqual([]);
});
