import { looksRandom, redactAssigned } from './assigned-secrets.ts';
import { redactCommands } from './command-secrets.ts';
import { redactAddresses, redactTokens } from './token-shapes.ts';

const lineBreak = String.raw`(?:\s|\\+[nrt])`;
/** Between two lines of a key, also where a program numbers them. */
const betweenLines = String.raw`${lineBreak}+(?:\d{1,5}(?:\u2192|\||:|\t|\\+t) ?)?`;
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
const authorization =
  /(authorization\\*["']?[ \t]*[:=][ \t]*\\*["']?(?:(?:bearer|basic|token|digest|apikey|key)[ \t]+)?)([^\s"'`\\,;]{6,})/gi;
const bearer = /(bearer[ \t]+)([A-Za-z0-9._~+/-]{16,}=*)/gi;

/** One of these words stands before every value that is known as a secret by its name or its place. */
const saysSecret =
  /key|token|secret|pass|pwd|credential|auth|bearer|jwt|pat\b|cookie|curl|mysql|mariadb|redis-cli|docker|ldap|sess|connect\.sid|__host|__secure/i;

/** Most texts in a trace are names: shorter than any token, and without anything that could give a name a value. */
const shortestToken = 15;

/** Takes out text with the shape of a secret, without knowing its value; the same text when nothing has. */
export function redactPatterns(text: string): string {
  if (text.length < shortestToken && !/[=:\s]/.test(text)) return text;
  let clean = text;
  if (clean.includes('-----BEGIN ')) clean = clean.replace(privateKey, '[REDACTED PRIVATE KEY]');
  clean = redactTokens(clean);
  clean = redactAddresses(clean);
  if (!saysSecret.test(clean)) return clean;
  clean = clean.replace(authorization, redactCredential).replace(bearer, redactCredential);
  return redactCommands(redactAssigned(clean));
}

function redactCredential(found: string, before: string, credential: string): string {
  const isSecret = looksRandom(credential) || (/basic[ \t]+$/i.test(before) && isLogin(credential));
  return isSecret ? `${before}[REDACTED]` : found;
}

/** A user and a password in base64. */
function isLogin(credential: string): boolean {
  const [login = ''] = /^[A-Za-z0-9+/]{8,}={0,2}/.exec(credential) ?? [];
  try {
    return atob(login).includes(':');
  } catch {
    return false;
  }
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
