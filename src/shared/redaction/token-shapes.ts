import { looksRandom } from './assigned-secrets.ts';
import { shapesBySign } from './token-table.ts';

/** Tokens that have the same sign in them: a text without it holds none of them. */
interface TokenFamily {
  readonly sign: string;
  readonly token: RegExp;
  /** The same in a text without escapes: it looks at the starts of words alone, which is quicker. */
  readonly tokenInPlainText: RegExp;
  readonly start: RegExp;
  /** Ends the text before a token. */
  readonly before: RegExp;
}

const escapes = String.raw`\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,12}m`;
/** A token begins here: at the start of a word, or after an escape of JSON, of a URL or of a terminal. */
const wordStart = new RegExp(`(?:^|[^A-Za-z0-9_-]|${escapes})$`);
/** A prefix with an underscore is one anywhere but inside of a word. */
const afterWord = new RegExp(`(?:^|[^A-Za-z0-9]|${escapes})$`);
/** The word "bot" is a part of the path in which Telegram takes the token. */
const afterBot = new RegExp(`(?:^|[^A-Za-z0-9_-]|/bot|${escapes})$`);
const longestEscape = 16;

const families: readonly TokenFamily[] = Object.entries(shapesBySign).map(([sign, shapes]) => {
  const token = shapes.map(({ start, rest }) => `(?:${start})${rest}`).join('|');
  const inWord = { _: '(?<![A-Za-z0-9])', '-': '(?<![A-Za-z0-9_-])' }[sign] ?? '';
  return {
    sign,
    token: new RegExp(token, 'g'),
    tokenInPlainText: new RegExp(`${inWord}(?:${token})`, 'g'),
    start: new RegExp(`^(?:${shapes.map(({ start }) => start).join('|')})`),
    before: sign === '_' ? afterWord : sign === ':' ? afterBot : wordStart,
  };
});
const mayEscape = /[\\%\u001B]/;

const inPiece = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/=.:%-]/.test(String.fromCharCode(code)) ? 1 : 0));
/** Every token is one piece of at least this length; sentences and most names have none. */
const shortestPiece = 15;

/** Whether a text has a piece that is long enough for a token. Read backwards from where one could end, most of a text is skipped. */
export function hasLongPiece(text: string): boolean {
  let end = shortestPiece - 1;
  let first = 0;
  while (end < text.length) {
    let index = end;
    while (index >= first && inPiece[text.charCodeAt(index)] === 1) index--;
    if (index < first) return true;
    // The text read behind the break is a part of the next piece, and is not read again.
    first = end + 1;
    end = index + shortestPiece;
  }
  return false;
}

/** Takes out tokens with a known prefix. */
export function redactTokens(text: string): string {
  if (!hasLongPiece(text)) return text;
  let clean = text;
  const pattern = mayEscape.test(text) ? 'token' : 'tokenInPlainText';
  for (const family of families) {
    if (!clean.includes(family.sign)) continue;
    clean = clean.replace(family[pattern], (found: string, offset: number, whole: string) => {
      const start = family.start.exec(found)?.[0] ?? '';
      if (!family.before.test(whole.slice(Math.max(0, offset - longestEscape), offset))) return found;
      return isTokenRest(start, found.slice(start.length)) ? `${start}[REDACTED]` : found;
    });
  }
  return clean;
}

/** No word is that long. */
const isLongMix = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z_]{30,}$/;

/** Words joined by hyphens are a name and no token. */
function isTokenRest(start: string, rest: string): boolean {
  if (start !== 'sk-') return /\d/.test(rest) || looksRandom(rest) || isLongMix.test(rest);
  const isKnownMaker = /^(?:ant|or|proj|lf|svcacct)-.*\d/.test(rest);
  return isKnownMaker || /[A-Za-z0-9]{20,}/.test(rest) || (/\d/.test(rest) && /[A-Z]/.test(rest));
}

/** Addresses that take messages from all who know their last part. */
const webhook =
  /((?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|\.webhook\.office\.com\/webhookb2)\/)([A-Za-z0-9_/@-]{20,})/g;
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
  if (!hasLongPiece(clean)) return clean;
  if (clean.includes('.com/')) clean = clean.replace(webhook, '$1[REDACTED]');
  return clean.includes('=') ? clean.replace(signedUrl, '$1[REDACTED]') : clean;
}
