import { looksRandom } from './assigned-secrets.ts';

/** A kind of token with a known prefix; the prefix stays, so a reader knows what it was. */
interface TokenShape {
  readonly start: string;
  readonly rest: string;
}

/** Tokens whose prefixes end with the same sign: a text without that sign holds none of them. */
interface TokenFamily {
  readonly sign: string;
  readonly token: RegExp;
  readonly start: RegExp;
  /** Ends the text before a token. */
  readonly before: RegExp;
}

const word = '[A-Za-z0-9]';
const webWord = '[A-Za-z0-9_-]';
const hex = '[0-9a-f]';

const shapesBySign: Readonly<Record<string, readonly TokenShape[]>> = {
  _: [
    { start: '[srp]k_(?:live|test)_', rest: `${word}{16,}` },
    { start: 'whsec_', rest: '[A-Za-z0-9+/=]{24,}' },
    { start: 'gh[pousr]_', rest: `${word}{20,}` },
    { start: 'github_pat_', rest: '[A-Za-z0-9_]{20,}' },
    { start: '(?:hf|gsk|npm|r8|ntn|figd|fw|jina|rubygems|sntry[su]|glsa|glc)_', rest: '[A-Za-z0-9_=+/-]{24,}' },
    { start: 'do[opr]_v1_', rest: `${hex}{64}` },
    { start: 'shp(?:at|ca|pa|ss|tka)_', rest: '[0-9A-Fa-f]{32}' },
    { start: 'lin_(?:api|oauth)_', rest: `${word}{32,}` },
    { start: 'lsv2_(?:pt|sk)_', rest: '[A-Za-z0-9_]{32,}' },
    { start: 'sbp_', rest: `${hex}{40}` },
    { start: 'ops_', rest: `eyJ${webWord}{40,}` },
    { start: 'rnd_', rest: `${word}{28,}` },
  ],
  '-': [
    { start: 'sk-', rest: `${webWord}{20,}` },
    { start: 'gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-', rest: `${webWord}{20,}` },
    { start: 'x(?:ox[a-eoprs]|app)-', rest: '[A-Za-z0-9%-]{10,}' },
    { start: 'xai-', rest: `${word}{30,}` },
    { start: 'pypi-', rest: `${webWord}{50,}` },
    { start: 'GOCSPX-', rest: `${webWord}{24,}` },
    { start: '(?:NRAK|NRJS|NRII)-', rest: `${webWord}{19,}` },
    { start: '(?:pplx|nvapi|tvly|csk)-', rest: `${webWord}{24,}` },
    { start: 'pul-', rest: `${hex}{40}` },
    { start: 'PMAK-', rest: `${hex}{24}-${hex}{34}` },
    { start: 'CFPAT-', rest: `${webWord}{40,}` },
    { start: 'AGE-SECRET-KEY-', rest: '1[0-9A-Z]{58}' },
    { start: 'sq0(?:atp|csp)-', rest: `${webWord}{22,}` },
  ],
  '.': [
    { start: 'ya29\\.', rest: '[A-Za-z0-9_.-]{20,}' },
    { start: 'SG\\.', rest: `${webWord}{16,}\\.${webWord}{16,}` },
    { start: 'hv[sbr]\\.', rest: `${webWord}{24,}` },
    { start: 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', rest: '[A-Za-z0-9_.-]{40,}' },
    { start: 'sk\\.', rest: `eyJ${webWord}{20,}\\.${webWord}{20,}` },
    { start: 'dt0[a-z]\\d{2}\\.', rest: '[A-Z0-9]{24}\\.[A-Z0-9]{64}' },
    { start: 'eyJ', rest: `${webWord}{8,}\\.${webWord}{8,}\\.${webWord}{8,}` },
    { start: 'pat', rest: `${word}{14}\\.${hex}{64}` },
    // Bots of Discord: the number of the bot in base64, a time, a signature.
    { start: '[MNO]', rest: `[A-Za-z0-9]{23,27}\\.${webWord}{6}\\.${webWord}{27,}` },
  ],
  '': [
    { start: 'A(?:KIA|SIA|BIA|CCA)', rest: '[A-Z0-9]{16}(?![A-Za-z0-9])' },
    { start: 'AIza', rest: `${webWord}{30,}` },
    { start: 'AT(?:ATT|CTT)3', rest: '[A-Za-z0-9_=-]{40,}' },
    { start: 'dapi', rest: `${hex}{32}(?:-\\d)?(?![A-Za-z0-9])` },
    { start: 'LTAI', rest: `${word}{16,24}(?![A-Za-z0-9])` },
  ],
  // Bots of Telegram: their number stays.
  ':': [{ start: '\\d{8,12}:', rest: `AA${webWord}{33}(?![A-Za-z0-9_-])` }],
};

const escapes = String.raw`\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,12}m`;
/** A token begins here: at the start of a word, or after an escape of JSON, of a URL or of a terminal. */
const wordStart = new RegExp(`(?:^|[^A-Za-z0-9_-]|${escapes})$`);
/** A prefix with an underscore is one anywhere but inside of a word. */
const afterWord = new RegExp(`(?:^|[^A-Za-z0-9]|${escapes})$`);
/** The word "bot" is a part of the path in which Telegram takes the token. */
const afterBot = new RegExp(`(?:^|[^A-Za-z0-9_-]|/bot|${escapes})$`);
const longestEscape = 16;

const families: readonly TokenFamily[] = Object.entries(shapesBySign).map(([sign, shapes]) => ({
  sign,
  token: new RegExp(shapes.map(({ start, rest }) => `(?:${start})${rest}`).join('|'), 'g'),
  start: new RegExp(`^(?:${shapes.map(({ start }) => start).join('|')})`),
  before: sign === '_' ? afterWord : sign === ':' ? afterBot : wordStart,
}));

/** Every token is one piece of at least this length; sentences and most names have none. */
const longPiece = /[\w+/=.:%-]{15}/;

/** Takes out tokens with a known prefix. */
export function redactTokens(text: string): string {
  if (!longPiece.test(text)) return text;
  let clean = text;
  for (const family of families) {
    if (!clean.includes(family.sign)) continue;
    clean = clean.replace(family.token, (found: string, offset: number, whole: string) => {
      const start = family.start.exec(found)?.[0] ?? '';
      if (!family.before.test(whole.slice(Math.max(0, offset - longestEscape), offset))) return found;
      return isTokenRest(start, found.slice(start.length)) ? `${start}[REDACTED]` : found;
    });
  }
  return clean;
}

/** Words joined by hyphens are a name and no token. */
function isTokenRest(start: string, rest: string): boolean {
  if (start !== 'sk-') return /\d/.test(rest) || looksRandom(rest);
  const isKnownMaker = /^(?:ant|or|proj|lf|svcacct)-.*\d/.test(rest);
  return isKnownMaker || /[A-Za-z0-9]{20,}/.test(rest) || (/\d/.test(rest) && /[A-Z]/.test(rest));
}

/** Addresses that take messages from all who know their last part. */
const webhook =
  /((?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/)([A-Za-z0-9_/-]{20,})/g;
const signedUrl = /([?&](?:sig|X-Amz-Signature|X-Goog-Signature)=)([A-Za-z0-9%+/=_-]{32,})/g;
const urlPassword = /(:(?:\\?\/){2}[^\s:@/"'`\\]{0,64}:)([^\s@/"'`\\[$<{*]{1,256})(?=@[A-Za-z0-9[])/g;
const urlUser = /(:(?:\\?\/){2})([A-Za-z0-9_-]{20,})(?=@[A-Za-z0-9[])/g;

/** Takes out what makes an address secret: a password, a key in place of a user, a signature, the path of a webhook. */
export function redactAddresses(text: string): string {
  let clean = text;
  if (clean.includes('@')) {
    clean = clean
      .replace(urlPassword, '$1[REDACTED]')
      .replace(urlUser, (found, before, user) => (looksRandom(user) ? `${before}[REDACTED]` : found));
  }
  if (!longPiece.test(clean)) return clean;
  if (clean.includes('.com/')) clean = clean.replace(webhook, '$1[REDACTED]');
  return clean.includes('=') ? clean.replace(signedUrl, '$1[REDACTED]') : clean;
}
