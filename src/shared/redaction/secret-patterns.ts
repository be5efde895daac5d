import { looksRandom, redactAssigned } from './assigned-secrets.ts';

/** A kind of token with a known prefix; the prefix stays, so a reader knows what it was. */
interface TokenShape {
  readonly start: string;
  readonly rest: string;
}

const tokenShapes: readonly TokenShape[] = [
  { start: 'sk-', rest: '[A-Za-z0-9_-]{20,}' },
  { start: '[srp]k_(?:live|test)_', rest: '[A-Za-z0-9]{16,}' },
  { start: 'whsec_', rest: '[A-Za-z0-9+/=]{24,}' },
  { start: 'A(?:KIA|SIA|BIA|CCA)', rest: '[A-Z0-9]{16}(?![A-Za-z0-9])' },
  { start: 'gh[pousr]_', rest: '[A-Za-z0-9]{20,}' },
  { start: 'github_pat_', rest: '[A-Za-z0-9_]{20,}' },
  { start: 'gl(?:pat|dt|rt)-', rest: '[A-Za-z0-9_-]{20,}' },
  { start: 'x(?:ox[abeoprs]|app)-', rest: '[A-Za-z0-9-]{10,}' },
  { start: 'AIza', rest: '[A-Za-z0-9_-]{30,}' },
  { start: 'ya29\\.', rest: '[A-Za-z0-9_.-]{20,}' },
  { start: '(?:hf|gsk|npm)_', rest: '[A-Za-z0-9]{30,}' },
  { start: 'xai-', rest: '[A-Za-z0-9]{30,}' },
  { start: 'pypi-', rest: '[A-Za-z0-9_-]{50,}' },
  { start: 'SG\\.', rest: '[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}' },
  { start: 'eyJ', rest: '[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}' },
];
const token = new RegExp(tokenShapes.map(({ start, rest }) => `(?:${start})${rest}`).join('|'), 'g');
const tokenStart = new RegExp(`^(?:${tokenShapes.map(({ start }) => start).join('|')})`);

/** A token begins here: at the start of a word, or after an escape of JSON, of a URL or of a terminal. */
const wordStart = /(?:^|[^A-Za-z0-9_-]|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,12}m)$/;
const longestEscape = 16;

const lineBreak = String.raw`(?:\s|\\+[nrt])`;
/** Between two lines of a key, also where a program numbers them. */
const betweenLines = String.raw`${lineBreak}+(?:\d{1,5}(?:→|\||:|\t|\\+t) ?)?`;
/** Lines that are nothing but base64 belong to the key, whether or not its end is there. */
const privateKey = new RegExp(
  [
    '-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----',
    String.raw`(?:${betweenLines}[A-Z][A-Za-z-]{3,20}: [^\n\\]{1,100})*`,
    `(?:${betweenLines}[A-Za-z0-9+/]{32,}={0,2})*`,
    `(?:(?:${betweenLines}=?[A-Za-z0-9+/]{1,80}={0,2}){0,2}${betweenLines}-----END [A-Z0-9 ]{1,60}-----)?`,
  ].join(''),
  'g',
);
const urlPassword = /(:(?:\\?\/){2}[^\s:@/"'`\\]{0,64}:)([^\s@/"'`\\[$<{*]{1,256})(?=@[A-Za-z0-9[])/g;
const authorization =
  /(authorization\\*["']?[ \t]*[:=][ \t]*\\*["']?(?:(?:bearer|basic|token|digest|apikey|key)[ \t]+)?)([^\s"'`\\,;]{6,})/gi;
const bearer = /(bearer[ \t]+)([A-Za-z0-9._~+/-]{16,}=*)/gi;

/** One of these words stands before every value that is known as a secret by its name. */
const saysSecret = /key|token|secret|pass|pwd|credential|auth|bearer/i;

/** Most texts in a trace are names: shorter than any token, and without anything that could give a name a value. */
const shortestToken = 15;

/** Takes out text with the shape of a secret, without knowing its value; the same text when nothing has. */
export function redactPatterns(text: string): string {
  if (text.length < shortestToken && !/[=:\s]/.test(text)) return text;
  let clean = text;
  if (clean.includes('-----BEGIN ')) clean = clean.replace(privateKey, '[REDACTED PRIVATE KEY]');
  clean = clean.replace(token, redactToken);
  if (clean.includes('@')) clean = clean.replace(urlPassword, '$1[REDACTED]');
  if (!saysSecret.test(clean)) return clean;
  clean = clean.replace(authorization, redactCredential).replace(bearer, redactCredential);
  return redactAssigned(clean);
}

function redactToken(found: string, offset: number, text: string): string {
  const start = tokenStart.exec(found)?.[0] ?? '';
  if (!wordStart.test(text.slice(Math.max(0, offset - longestEscape), offset))) return found;
  return isTokenRest(start, found.slice(start.length)) ? `${start}[REDACTED]` : found;
}

/** Words joined by hyphens are a name and no token. */
function isTokenRest(start: string, rest: string): boolean {
  if (start !== 'sk-') return /\d/.test(rest) || looksRandom(rest);
  return /[A-Za-z0-9]{20,}/.test(rest) || (/\d/.test(rest) && /[A-Z]/.test(rest)) || /^(?:ant|or|proj)-.*\d/.test(rest);
}

function redactCredential(found: string, before: string, credential: string): string {
  return looksRandom(credential) ? `${before}[REDACTED]` : found;
}

const email = /(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,}/g;
const userName = String.raw`[^\s/\\:"'<>|[\]\x60]{1,64}`;
/** A name has spaces in it only where the path goes on: elsewhere they end the path. */
const homeFolder = new RegExp(
  String.raw`(?<![\w.])((?:/home|/Users|[A-Za-z]:\\{1,4}Users)(?:/|\\{1,4}))(?:${userName}(?: ${userName}){0,3}(?=[/\\])|${userName})`,
  'g',
);

/** Takes out personal data: right for a page that is shared, too much for evidence. */
export function redactPersonal(text: string): string {
  const withoutEmails = text.includes('@') ? text.replace(email, '[REDACTED_EMAIL]') : text;
  return withoutEmails.replace(homeFolder, '$1[REDACTED_USER]');
}
