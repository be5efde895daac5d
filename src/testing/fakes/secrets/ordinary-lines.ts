import fc from 'fast-check';

const hex = fc.constantFrom(...'0123456789abcdef');
const base64 = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const word = fc.constantFrom(
  ...'the a note task token key secret password of was created updated for list index user author auth session error'
    .concat(
      ' file config parser value stream result cache monkey keyboard tokens passes bearer basic authority credential',
    )
    .split(' '),
);
const name = fc.constantFrom(
  'parse',
  'token',
  'keyOf',
  'getSecret',
  'passwordField',
  'authState',
  'cache',
  'apiKey',
  'index',
);
const type = fc.constantFrom(
  'string',
  'number',
  'boolean',
  'SecretString',
  'undefined',
  'Uint8Array',
  'CancellationToken',
);
const extension = fc.constantFrom('ts', 'md', 'json', 'py', 'rs', 'toml', 'lock', 'png', 'test.ts');
const number = fc.nat({ max: 999_999 });
const hexText = (length: number) => fc.string({ unit: hex, minLength: length, maxLength: length });
const lineOf = <Parts extends unknown[]>(
  parts: { [Index in keyof Parts]: fc.Arbitrary<Parts[Index]> },
  write: (...values: Parts) => string,
): fc.Arbitrary<string> => fc.tuple<Parts>(...parts).map((values) => write(...values));

/** Lines such as tools and agents print all day, by kind; none holds a secret, and many look a little like one. */
export const ordinaryLines: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'git log': lineOf([hexText(40), word, word], (hash, a, b) => `commit ${hash} ${a} ${b}`),
  'git short hash': lineOf([hexText(7), hexText(7), name], (a, b, file) => `index ${a}..${b} 100644 src/${file}.ts`),
  UUID: lineOf([fc.uuid(), number], (id, ms) => `request ${id} finished in ${ms} ms, session_id=${id}`),
  'image in a data URL': lineOf(
    [fc.string({ unit: base64, minLength: 200, maxLength: 4_000 })],
    (data) => `![](data:image/png;base64,iVBORw0KGgo${data}==)`,
  ),
  'integrity hash': lineOf(
    [fc.string({ unit: base64, minLength: 86, maxLength: 86 })],
    (data) => `"integrity": "sha512-${data}==",`,
  ),
  digest: lineOf([hexText(64), name], (hash, image) => `${image}@sha256:${hash}`),
  prose: fc.array(word, { minLength: 4, maxLength: 16 }).map((words) => `${words.join(' ')}.`),
  'prose with a colon': lineOf([word, word, word], (a, b, c) => `Note on the ${a} ${b}: ${c} is required, see below`),
  'typed field': lineOf([name, type], (field, of) => `  readonly ${field}: ${of};`),
  'secret field': lineOf(
    [fc.constantFrom('password', 'token', 'secret', 'apiKey', 'clientSecret', 'accessToken', 'auth'), type],
    (field, of) => `  ${field}: ${of} | null,`,
  ),
  'read from somewhere': lineOf(
    [
      fc.constantFrom('password', 'token', 'apiKey', 'API_KEY', 'DB_PASSWORD', 'secret'),
      fc.constantFrom(
        'process.env.API_KEY',
        'getToken()',
        'config.auth.token2',
        '$API_KEY',
        '${TOKEN}',
        '<your-token>',
        'os.environ["K"]',
        'await readSecret("db1")',
        'YOUR_API_KEY',
        '********',
        'req.body.password',
      ),
    ],
    (field, from) => `const ${field} = ${from}`,
  ),
  schema: lineOf(
    [
      fc.constantFrom('token', 'password', 'secret'),
      fc.constantFrom('string', 'required', 'object', 'Password is required', 'password'),
    ],
    (field, of) => JSON.stringify({ [field]: of }),
  ),
  'count of tokens': lineOf(
    [number, number],
    (a, b) => `{"input_tokens":${a},"max_tokens": ${b},"stop_token":"<|end|>"}`,
  ),
  'file path': lineOf(
    [name, hexText(8), extension],
    (file, hash, end) => `/var/lib/app/${file}/${hash}/token-${file}.${end}:12:7`,
  ),
  import: lineOf([name, extension], (file, end) => `import { ${file} } from './secret-${file}.${end}';`),
  'log line': lineOf(
    [number, name, word],
    (n, a, b) => `2026-03-01 10:11:12,${n} [INFO] ${a}=${n} ${b}=ok key=user:${n} auth=basic pass=${n}`,
  ),
  address: lineOf(
    [name, number],
    (host, port) => `http://${host}.example.com:${port % 65_536}/v1/tokens?page_token=2&sort_key=name`,
  ),
  email: lineOf([name], (who) => `Author: Jane <${who}@example.com>`),
  version: lineOf([number, number], (a, b) => `token-parser@${a % 90}.${b % 90}.0 secret: v${a % 9}.${b % 9}.1`),
  'cache key': lineOf([hexText(40), name], (hash, kind) => `CACHE_KEY=node-${kind}-${hash}`),
  'CSS and HTML': lineOf(
    [number, name],
    (n, field) => `<input type="password" name="password" id="${field}${n}" class="sk-folding-cube">`,
  ),
  shell: lineOf([name, number], (file, n) => `grep -rn "api_key" src/${file} | head -${n % 100} && echo "token: done"`),
  'hash of a task': lineOf([hexText(40), word], (id, a) => `task-${id} risk-${id} disk-usage ${a}`),
  JSON: lineOf([fc.uuid(), number, word], (id, n, a) =>
    JSON.stringify({ id, key: `${a}-${n}`, name: a, size: n, primary_key: id }),
  ),
  'public key': lineOf(
    [fc.string({ unit: base64, minLength: 68, maxLength: 68 })],
    (key) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${key} jane`,
  ),
  'help text': lineOf([word], (a) => `  --token <token>      the ${a} to use; --password PASSWORD, --api-key KEY`),
  'header in the docs': lineOf(
    [fc.constantFrom('$TOKEN', '<token>', '{token}', 'YOUR_TOKEN', 'token')],
    (a) => `curl -H "Authorization: Bearer ${a}" https://api.example.com`,
  ),
};
