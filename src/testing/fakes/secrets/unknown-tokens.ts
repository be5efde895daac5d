import fc from 'fast-check';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const word = lower + upper + digits;
const web = `${word}_-`;
const hex = `${digits}abcdef`;
const capital = upper + digits;
const base64 = `${word}+/`;

/** Drawn evenly, as keys are. */
function drawn(characters: string, length: number): fc.Arbitrary<string> {
  const parts = fc.array(fc.constantFrom(...characters), { minLength: length, maxLength: length, size: 'max' });
  return fc.noBias(parts.map((each) => each.join('')));
}

/** Texts and drawn parts in turn: `['SG.', [web, 22], '.', [web, 43]]`. */
type Parts = readonly (string | readonly [characters: string, length: number])[];

function joined(parts: Parts): fc.Arbitrary<string> {
  const texts = parts.map((part) => (typeof part === 'string' ? fc.constant(part) : drawn(...part)));
  return fc.tuple(...texts).map((each) => each.join(''));
}

const uuid: Parts = [[hex, 8], '-', [hex, 4], '-', [hex, 4], '-', [hex, 4], '-', [hex, 12]];

/** Tokens that stand alone, by their makers. */
const aloneTokens: Readonly<Record<string, Parts>> = {
  '1Password secret key': [
    'A3-',
    [capital, 6],
    '-',
    [capital, 11],
    '-',
    [capital, 5],
    '-',
    [capital, 5],
    '-',
    [capital, 5],
  ],
  '1Password service account': ['ops_eyJ', [word, 260]],
  'Adobe client secret': ['p8e-', [word, 32]],
  'Alibaba key id': ['LTAI', [word, 20]],
  'Amazon MWS': ['amzn.mws.', ...uuid],
  'Anthropic admin key': ['sk-ant-admin01-', [web, 93], 'AA'],
  Apify: ['apify_api_', [word, 36]],
  Artifactory: ['AKCp', [word, 69]],
  'Artifactory reference': ['cmVmd', [word, 59]],
  'AWS session key id': ['ASIA', [capital, 16]],
  'Azure client secret': [[word, 3], '8Q~', [web, 34]],
  'Bedrock API key': ['ABSK', [base64, 130]],
  'Bitbucket app password': ['ATBB', [word, 32]],
  Braintree: ['access_token$production$', [lower + digits, 16], '$', [hex, 32]],
  'Brevo key': ['xkeysib-', [hex, 64], '-', [word, 16]],
  'Brevo SMTP': ['xsmtpsib-', [hex, 64], '-', [word, 16]],
  Cerebras: ['csk-', [lower + digits, 48]],
  Clojars: ['CLOJARS_', [lower + digits, 60]],
  'Cloudflare origin': ['v1.0-', [hex, 24], '-', [hex, 146]],
  Contentful: ['CFPAT-', [web, 43]],
  'Defined Networking': ['dnkey-', [web, 26], '-', [web, 52]],
  'DigitalOcean OAuth': ['doo_v1_', [hex, 64]],
  'DigitalOcean refresh': ['dor_v1_', [hex, 64]],
  'Docker Hub': ['dckr_pat_', [web, 27]],
  'Docker organization': ['dckr_oat_', [web, 32]],
  'Doppler service': ['dp.st.', [word, 43]],
  'Dropbox short-lived': ['sl.', [web, 135]],
  Duffel: ['duffel_live_', [web, 43]],
  Dynatrace: ['dt0c01.', [capital, 24], '.', [capital, 64]],
  E2B: ['e2b_', [hex, 40]],
  EasyPost: ['EZAK', [word, 54]],
  ElevenLabs: ['sk_', [hex, 48]],
  'Facebook page': ['EAAM', [word, 120]],
  Figma: ['figd_', [web, 40]],
  Firecrawl: ['fc-', [hex, 32]],
  Fireworks: ['fw_', [word, 24]],
  Flutterwave: ['FLWSECK_TEST-', [hex, 32], '-X'],
  'Fly.io': ['FlyV1 fm2_', [base64, 120]],
  'Fly.io personal': ['fo1_', [web, 43]],
  'Frame.io': ['fio-u-', [web, 64]],
  'GitHub refresh': ['ghr_', [word, 36]],
  'GitLab deploy': ['gldt-', [web, 20]],
  'GitLab feature flags': ['glffct-', [web, 20]],
  'GitLab OAuth secret': ['gloas-', [web, 64]],
  'GitLab pipeline trigger': ['glptt-', [hex, 40]],
  'GitLab runner': ['glrt-', [web, 20]],
  'GitLab runner registration': ['GR1348941', [web, 20]],
  'Google OAuth access': ['ya29.', [web, 60]],
  'Google refresh': ['1//0', [web, 60]],
  'Grafana API key': ['eyJrIjoi', [word, 80]],
  'Grafana cloud': ['glc_', [word, 60]],
  Harness: ['pat.', [web, 22], '.', [word, 24], '.', [word, 20]],
  Heroku: ['HRKU-AA', [web, 58]],
  'Hugging Face organization': ['api_org_', [lower + upper, 34]],
  Infracost: ['ico-', [word, 32]],
  Intra42: ['s-s4t2ud-', [hex, 64]],
  Jina: ['jina_', [word, 60]],
  'LangSmith service': ['lsv2_sk_', [hex, 43]],
  'Linear OAuth': ['lin_oauth_', [word, 40]],
  Mailchimp: [[hex, 32], '-us12'],
  Mailgun: ['key-', [hex, 32]],
  MaxMind: [[word, 6], '_', [word, 29], '_mmk'],
  Neon: ['napi_', [lower + digits, 60]],
  Netlify: ['nfp_', [word, 36]],
  'New Relic ingest': ['NRII-', [web, 32]],
  NVIDIA: ['nvapi-', [web, 64]],
  'Octopus Deploy': ['API-', [capital, 26]],
  'OpenAI service account': ['sk-svcacct-', [web, 74]],
  OpenShift: ['sha256~', [web, 43]],
  Pinecone: ['pcsk_', [word, 60]],
  Plaid: ['access-production-', ...uuid],
  PlanetScale: ['pscale_tkn_', [web, 43]],
  'PlanetScale password': ['pscale_pw_', [web, 43]],
  PostHog: ['phx_', [word, 43]],
  Postman: ['PMAK-', [hex, 24], '-', [hex, 34]],
  Prefect: ['pnu_', [word, 36]],
  PyPI: ['pypi-AgEIcHlwaS5vcmc', [web, 120]],
  ReadMe: ['rdme_', [lower + digits, 70]],
  Render: ['rnd_', [word, 32]],
  RubyGems: ['rubygems_', [hex, 48]],
  RunPod: ['rpa_', [capital, 40]],
  Scalingo: ['tk-us-', [web, 48]],
  SendGrid: ['SG.', [web, 22], '.', [web, 43]],
  'Sentry user': ['sntryu_', [hex, 64]],
  Settlemint: ['sm_pat_', [word, 16]],
  Shippo: ['shippo_live_', [hex, 40]],
  'Shopify shared secret': ['shpss_', [hex, 32]],
  'Slack app': ['xapp-1-', [capital, 11], '-', [digits, 13], '-', [hex, 64]],
  'Slack user': ['xoxp-', [digits, 12], '-', [digits, 12], '-', [digits, 12], '-', [hex, 32]],
  Sourcegraph: ['sgp_', [hex, 16], '_', [hex, 40]],
  Square: ['EAAA', [web, 60]],
  'Square secret': ['sq0csp-', [web, 43]],
  'Stripe restricted': ['rk_live_', [word, 24]],
  'Stripe test': ['sk_test_', [word, 24]],
  'Stripe webhook': ['whsec_', [word, 32]],
  Supabase: ['sb_secret_', [web, 31]],
  Tailscale: ['tskey-auth-', [word, 12], 'CNTRL-', [word, 32]],
  Tavily: ['tvly-', [word, 32]],
  'Tencent key id': ['AKID', [word, 32]],
  Terraform: [[word, 14], '.atlasv1.', [web, 67]],
  Together: ['tgp_v1_', [web, 43]],
  Twilio: ['SK', [hex, 32]],
  Typeform: ['tfp_', [web, 59]],
  'Vault recovery': ['hvr.', [web, 90]],
  Voyage: ['pa-', [web, 43]],
  xAI: ['xai-', [word, 80]],
  'Yandex API': ['AQVN', [web, 35]],
  'Yandex IAM': ['t1.', [web, 30], '.', [web, 86]],
};

export const tokensAlone: Readonly<Record<string, fc.Arbitrary<string>>> = Object.fromEntries(
  Object.entries(aloneTokens).map(([maker, parts]) => [maker, joined(parts)]),
);

const password = drawn(`${word}!%^_+.-`, 14);
const opaque = drawn(word, 32);

/** Secrets that only the text around them gives away. */
export const tokensInContext: Readonly<
  Record<string, readonly [secret: fc.Arbitrary<string>, write: (secret: string) => string]>
> = {
  'Set-Cookie': [opaque, (value) => `Set-Cookie: session=${value}; Path=/; HttpOnly`],
  Cookie: [opaque, (value) => `Cookie: theme=dark; connect.sid=s%3A${value}`],
  'session of PHP': [drawn(lower + digits, 26), (value) => `PHPSESSID=${value}`],
  'session of GitLab': [drawn(hex, 32), (value) => `_gitlab_session=${value}`],
  'curl -u': [password, (value) => `curl -sS -u deploy:${value} https://api.example.com/v1`],
  'curl --user': [password, (value) => `curl --user deploy:${value} https://api.example.com/v1`],
  'mysql -p': [password, (value) => `mysqldump -h db.example.com -u root -p${value} app`],
  sshpass: [password, (value) => `sshpass -p ${value} ssh root@example.com`],
  'redis-cli -a': [password, (value) => `redis-cli -h cache.example.com -a ${value} PING`],
  'docker login': [password, (value) => `docker login -u jane -p ${value} registry.example.com`],
  ldapsearch: [password, (value) => `ldapsearch -D cn=admin -w ${value} -b dc=example`],
  'openssl -passin': [opaque, (value) => `openssl rsa -in key.pem -passin pass:${value}`],
  '.netrc': [password, (value) => `machine example.com login jane password ${value}`],
  'storage account': [
    drawn(base64, 86),
    (value) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${value}==;EndpointSuffix=core.windows.net`,
  ],
  'service bus': [
    drawn(base64, 43),
    (value) => `Endpoint=sb://x.net/;SharedAccessKeyName=Root;SharedAccessKey=${value}=`,
  ],
  otpauth: [drawn(`${upper}234567`, 32), (value) => `otpauth://totp/Example:jane?secret=${value}&issuer=Example`],
  'Teams webhook': [
    drawn(hex, 32),
    (value) =>
      `https://x.webhook.office.com/webhookb2/1b2c3d4e-0000-4000-8000-1234567890ab@x/IncomingWebhook/${value}/y`,
  ],
};
