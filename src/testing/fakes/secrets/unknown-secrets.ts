import fc from 'fast-check';
import { tokensAlone, tokensInContext } from './unknown-tokens.ts';

/** A secret that is not known by value, and the text that gives it away where it needs one. */
interface UnknownSecret {
  readonly value: string;
  /** The secret in the words around it. */
  readonly text: string;
}

type Arbitrary = fc.Arbitrary<UnknownSecret>;

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const alphanumeric = letters + letters.toUpperCase() + digits;
const hexDigits = '0123456789abcdef';

/** Without the words that generators of strings like to put in: keys are drawn evenly. */
function textOf(characters: string, minLength: number, maxLength = minLength): fc.Arbitrary<string> {
  const drawn = fc.array(fc.constantFrom(...characters), { minLength, maxLength, size: 'max' });
  return fc.noBias(drawn.map((parts) => parts.join('')));
}

const wordLike = textOf(`${alphanumeric}-_`, 40, 100);
const password = textOf(`${alphanumeric}!@#%^*_+=.-`, 8, 24).filter((text) => !/^[$<{[*%#@]/.test(text));
const opaque = textOf(alphanumeric, 20, 64);

function token(start: string, rest: fc.Arbitrary<string>): Arbitrary {
  return rest.map((text) => ({ value: start + text, text: start + text }));
}

function named(write: (name: string, value: string) => string, names: readonly string[], value = opaque): Arbitrary {
  return fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => ({ value: text, text: write(name, text) }));
}

const base64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const variableNames = [
  'OPENAI_API_KEY',
  'GITHUB_TOKEN',
  'DB_PASSWORD',
  'CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'X_KEY',
  'PGPASSWORD',
  'MYSQL_PWD',
  'DBPASSWORD',
  'APITOKEN',
  'GITHUB_PAT',
  'JWT',
];
const fieldNames = ['token', 'apiKey', 'api_key', 'access_token', 'clientSecret', 'password', 'refreshToken', 'secret'];

const alone = Object.entries(tokensAlone).map(([maker, value]): [string, Arbitrary] => [maker, token('', value)]);
const inContext = Object.entries(tokensInContext).map(([place, [secret, write]]): [string, Arbitrary] => [
  place,
  secret.map((value) => ({ value, text: write(value) })),
]);

/** Every pattern by its name. */
export const unknownSecrets: Readonly<Record<string, Arbitrary>> = {
  ...Object.fromEntries([...alone, ...inContext]),
  'OpenAI key': token('sk-', textOf(alphanumeric, 48)),
  'OpenAI project key': token('sk-proj-', wordLike),
  'Anthropic key': token('sk-ant-api03-', wordLike),
  'OpenRouter key': token('sk-or-v1-', textOf(hexDigits, 64)),
  'AWS key id': token('AKIA', textOf(letters.toUpperCase() + digits, 16)),
  'GitHub token': fc.constantFrom('ghp_', 'gho_', 'ghs_').chain((start) => token(start, textOf(alphanumeric, 36))),
  'GitHub fine-grained token': token('github_pat_', textOf(`${alphanumeric}_`, 82)),
  'GitLab token': token('glpat-', textOf(`${alphanumeric}_-`, 20)),
  'Slack token': fc
    .tuple(textOf(digits, 12), textOf(digits, 12), textOf(alphanumeric, 24))
    .chain((parts) => token('xoxb-', fc.constant(parts.join('-')))),
  'Google key': token('AIza', textOf(`${alphanumeric}_-`, 35)),
  'Stripe key': token('sk_live_', textOf(alphanumeric, 24)),
  'npm token': token('npm_', textOf(alphanumeric, 36)),
  'Google OAuth secret': token('GOCSPX-', textOf(`${alphanumeric}_-`, 28)),
  'Vault token': fc.constantFrom('hvs.', 'hvb.').chain((start) => token(start, textOf(`${alphanumeric}_-`, 90))),
  'DigitalOcean token': token('dop_v1_', textOf(hexDigits, 64)),
  'Shopify token': token('shpat_', textOf(hexDigits, 32)),
  'Databricks token': token('dapi', textOf(hexDigits, 32)),
  'Replicate token': token('r8_', textOf(alphanumeric, 37)),
  'Linear key': token('lin_api_', textOf(alphanumeric, 40)),
  'Notion token': token('ntn_', textOf(alphanumeric, 46)),
  'Atlassian token': token('ATATT3', textOf(`${alphanumeric}_=-`, 180)),
  'New Relic key': token('NRAK-', textOf(letters.toUpperCase() + digits, 27)),
  'Perplexity key': token('pplx-', textOf(alphanumeric, 48)),
  'Pulumi token': token('pul-', textOf(hexDigits, 40)),
  'age key': token('AGE-SECRET-KEY-1', textOf('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)),
  'Doppler token': token('dp.pt.', textOf(alphanumeric, 43)),
  'Hugging Face token': token('hf_', textOf(alphanumeric, 34)),
  'Groq key': token('gsk_', textOf(alphanumeric, 52)),
  'Grafana token': token('glsa_', textOf(alphanumeric, 41)),
  'Supabase token': token('sbp_', textOf(hexDigits, 40)),
  'LangSmith key': token('lsv2_pt_', textOf(hexDigits, 43)),
  'Langfuse key': fc.uuid().chain((id) => token('sk-lf-', fc.constant(id))),
  'Airtable token': fc
    .tuple(textOf(alphanumeric, 14), textOf(hexDigits, 64))
    .chain(([id, secret]) => token('pat', fc.constant(`${id}.${secret}`))),
  'Telegram bot': textOf(`${alphanumeric}_-`, 33).chain((rest) =>
    textOf('123456789', 10).map((id) => ({ value: `AA${rest}`, text: `${id}:AA${rest}` })),
  ),
  'Telegram address': textOf(`${alphanumeric}_-`, 33).map((rest) => ({
    value: `AA${rest}`,
    text: `https://api.telegram.org/bot7123456789:AA${rest}/getMe`,
  })),
  'Discord bot': fc
    .tuple(textOf(alphanumeric, 23), textOf(alphanumeric, 6), textOf(`${alphanumeric}_-`, 38))
    .chain((parts) => token('M', fc.constant(parts.join('.')))),
  'Slack webhook': textOf(alphanumeric, 24).map((value) => ({
    value,
    text: `https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/${value}`,
  })),
  'Discord webhook': textOf(`${alphanumeric}_-`, 68).map((value) => ({
    value,
    text: `https://discord.com/api/webhooks/1234567890123456789/${value}`,
  })),
  'Sentry DSN': textOf(hexDigits, 32).map((value) => ({ value, text: `https://${value}@o450.ingest.sentry.io/4507` })),
  'key in place of a user': textOf(alphanumeric, 40).map((value) => ({
    value,
    text: `https://${value}@example.com/a`,
  })),
  'signed address': textOf(hexDigits, 64).map((value) => ({
    value,
    text: `https://b.s3.amazonaws.com/a?X-Amz-Expires=60&X-Amz-Signature=${value}`,
  })),
  'token behind a name': textOf(alphanumeric, 36).map((rest) => ({ value: `ghp_${rest}`, text: `deploy-ghp_${rest}` })),
  'value in a sentence': named((name, value) => `the ${name} is ${value}`, ['token', 'password', 'API key', 'secret']),
  JWT: fc
    .tuple(fc.uuid(), textOf(`${alphanumeric}_-`, 43))
    .chain(([subject, signature]) =>
      token('', fc.constant(`${base64Url({ alg: 'HS256' })}.${base64Url({ sub: subject })}.${signature}`)),
    ),
  variable: named((name, value) => `${name}=${value}`, variableNames),
  'password variable': named(
    (name, value) => `${name}="${value}"`,
    ['PASSWORD', 'DB_PASSWD', 'SMTP_PASS', 'DBPASS', 'PGPASSWORD'],
    password,
  ),
  'JSON field': named((name, value) => JSON.stringify({ id: 7, [name]: value, ok: true }), fieldNames),
  'YAML field': named((name, value) => `  ${name}: ${value}`, fieldNames),
  code: named((name, value) => `const ${name} = '${value}';`, fieldNames),
  option: named((name, value) => `tool login --${name} ${value}`, ['token', 'api-key', 'client-secret', 'password']),
  'bearer header': named((name, value) => `${name}: Bearer ${value}`, ['Authorization', 'authorization']),
  'basic header': textOf(alphanumeric, 12, 30).map((text) => {
    const value = Buffer.from(`user:${text}`).toString('base64');
    return { value, text: `Authorization: Basic ${value}` };
  }),
  'key header': named((name, value) => `${name}: ${value}`, ['x-api-key', 'X-Auth-Token', 'api-key']),
  query: named((name, value) => `GET /v1/items?page=2&${name}=${value}&limit=10`, ['token', 'access_token', 'api_key']),
  'URL password': named(
    (name, value) => `${name}://admin:${value}@db.example.com:5432/app`,
    ['postgres', 'https', 'amqp'],
  ),
  'private key': fc.array(textOf(`${alphanumeric}+/`, 64), { minLength: 6, maxLength: 26 }).map((lines) => ({
    value: lines[3] ?? '',
    text: ['-----BEGIN RSA PRIVATE KEY-----', ...lines, 'aGVsbG8=', '-----END RSA PRIVATE KEY-----'].join('\n'),
  })),
};

/** The ways in which a text reaches us. */
export const channels: Readonly<Record<string, (text: string) => string>> = {
  line: (text) => text,
  log: (text) => `2026-03-01T10:11:12.345Z INFO  worker-3 got ${text} from upstream`,
  'after a line break': (text) => `first line\n${text}\nlast line`,
  JSON: (text) => JSON.stringify({ output: `done\n${text}\n`, exit: 0 }),
  'JSON in JSON': (text) => JSON.stringify({ line: JSON.stringify({ output: `done\n${text}\n` }) }),
  quoted: (text) => `echo "${text}"`,
  diff: (text) => text.replace(/^/gm, '+'),
  coloured: (text) => `\u001B[32m${text}\u001B[0m`,
  brackets: (text) => `(${text})`,
  'cell of a table': (text) => `| name | ${text} |`,
};
