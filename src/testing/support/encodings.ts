type Writing = (secret: string) => string;

const each = (write: (code: number, index: number) => string): Writing => {
  return (secret) => Array.from(secret, (character, index) => write(character.charCodeAt(0), index)).join('');
};
const hexOf = (code: number): string => code.toString(16).padStart(2, '0');
const pairs = (secret: string, between: string, before = ''): string =>
  Array.from(Buffer.from(secret), (byte) => before + hexOf(byte)).join(between);
const inside = (text: string): string => JSON.stringify(text).slice(1, -1);
const base64 = (secret: string, before = ''): string => Buffer.from(`${before}${secret}`).toString('base64');

const entityNames: Readonly<Record<string, string>> = {
  '+': 'plus',
  '/': 'sol',
  '&': 'amp',
  '<': 'lt',
  '"': 'quot',
  "'": 'apos',
  '=': 'equals',
};

/** One text in the ways in which programs write it; of each the text can be read again. */
export const encodings: Readonly<Record<string, Writing>> = {
  plain: (secret) => secret,
  'all percent': each((code) => `%${hexOf(code)}`),
  'all percent in capitals': each((code) => `%${hexOf(code).toUpperCase()}`),
  'some percent': each((code, index) => (index % 3 === 1 ? `%${hexOf(code)}` : String.fromCharCode(code))),
  'percent of a component': (secret) => encodeURIComponent(secret),
  'small percent of a component': (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'percent of a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'percent twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'all percent twice': each((code) => `%25${hexOf(code)}`),
  'escapes of JSON': each((code) => `\\u00${hexOf(code)}`),
  'escapes of JSON in JSON': each((code) => `\\\\u00${hexOf(code)}`),
  'escapes with braces': each((code) => `\\u{${code.toString(16)}}`),
  'escapes of C': each((code) => `\\x${hexOf(code)}`),
  'octal escapes': each((code) => `\\${code.toString(8).padStart(3, '0')}`),
  'decimal entities': each((code) => `&#${code};`),
  'padded entities': each((code) => `&#${String(code).padStart(5, '0')};`),
  'hexadecimal entities': each((code) => `&#x${hexOf(code)};`),
  'entities twice': each((code) => `&amp;#${code};`),
  'named entities': (secret) => secret.replace(/\W/g, (sign) => (entityNames[sign] ? `&${entityNames[sign]};` : sign)),
  base64: (secret) => base64(secret),
  'base64 after one byte': (secret) => base64(secret, 'a'),
  'base64 after two bytes': (secret) => base64(secret, 'ab'),
  'base64 of a login': (secret) => base64(secret, 'user:'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'wrapped base64': (secret) => base64(secret).replace(/.{10}/g, '$&\n'),
  hex: (secret) => pairs(secret, ''),
  'hex in capitals': (secret) => pairs(secret, '').toUpperCase(),
  'hex with colons': (secret) => pairs(secret, ':'),
  'hex with spaces': (secret) => pairs(secret, ' '),
  'a list of hex bytes': (secret) => pairs(secret, ', ', '0x'),
  capitals: (secret) => secret.toUpperCase(),
  'small letters': (secret) => secret.toLowerCase(),
  colours: (secret) => `${secret.slice(0, 5)}\u001B[1;31m${secret.slice(5, 9)}\u001B[0m${secret.slice(9)}`,
  'a colour after the first character': (secret) => `${secret.slice(0, 1)}\u001B[38;5;12m${secret.slice(1)}`,
  'colours in JSON': (secret) => inside(`${secret.slice(0, 5)}\u001B[31m${secret.slice(5)}`),
  'a link of a terminal': (secret) => `${secret.slice(0, 6)}\u001B]8;;http://a\u0007${secret.slice(6)}`,
  'soft line breaks': (secret) => secret.replace(/.{6}/g, '$&=\r\n'),
  'quoted printable': each((code) => `=${hexOf(code).toUpperCase()}`),
  'some quoted printable': each((code, index) =>
    index % 4 === 2 ? `=${hexOf(code).toUpperCase()}` : String.fromCharCode(code),
  ),
  'line breaks': (secret) => secret.replace(/.{7}/g, '$&\n'),
  'line breaks and indents': (secret) => secret.replace(/.{7}/g, '$&\r\n    '),
  'continued lines of a shell': (secret) => secret.replace(/.{7}/g, '$&\\\n'),
  'line breaks in JSON in JSON': (secret) => inside(inside(secret.replace(/.{7}/g, '$&\n'))),
  'JSON in JSON': (secret) => inside(inside(JSON.stringify({ key: secret }))),
  'escaped slashes': (secret) => secret.replaceAll('/', '\\/'),
  'marks without width': (secret) => secret.replace(/.{4}/g, '$&\u200B\u2060'),
  'marks without width in JSON': (secret) => secret.replace(/.{4}/g, '$&\\u200b'),
  'UTF-16': each((code) => `${String.fromCharCode(code)}\u0000`),
  'UTF-16 with the high byte first': each((code) => `\u0000${String.fromCharCode(code)}`),
  'UTF-16 in JSON': (secret) => inside(Array.from(secret, (character) => `${character}\u0000`).join('')),
};

const named = new Map(Object.entries(entityNames).map(([sign, name]) => [name, sign]));
const fromCode = (digits: string, base: number): string => String.fromCharCode(Number.parseInt(digits, base));

function fromHex(digits: string): string {
  return Buffer.from(digits, 'hex').toString('latin1');
}

/** Readings of one step; each undoes one way of writing in the whole text. */
const readings: readonly Writing[] = [
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => fromCode(digits, 16)),
  (text) => text.replace(/\\+u\{?([0-9a-f]{2,4})\}?/gi, (_, digits: string) => fromCode(digits, 16)),
  (text) => text.replace(/\\+x([0-9a-f]{2})/gi, (_, digits: string) => fromCode(digits, 16)),
  (text) => text.replace(/\\+([0-3][0-7]{2})/g, (_, digits: string) => fromCode(digits, 8)),
  (text) => text.replaceAll('&amp;', '&').replace(/&#(\d{1,7});/g, (_, digits: string) => fromCode(digits, 10)),
  (text) => text.replaceAll('&amp;', '&').replace(/&#x([0-9a-f]{1,6});/gi, (_, digits: string) => fromCode(digits, 16)),
  (text) => text.replace(/&(\w+);/g, (all, name: string) => named.get(name) ?? all),
  (text) => text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, digits: string) => fromCode(digits, 16)),
  (text) => text.replace(/(?:\b0x|[:,\s-])+(?=[0-9a-f]{2})/gi, ''),
  (text) => text.replace(/[0-9a-f]{16,}/gi, (digits) => fromHex(digits) + fromHex(digits.slice(1))),
  (text) => text.replaceAll('\\', ''),
];

/** Signs that are nothing to a reader: colours, ends of lines, marks without width, and the empty halves of UTF-16. */
function withoutCuts(text: string): string {
  return text
    .replace(/(?:\u001B|\\+u001b|\\+x1b)(?:\[[\d;:]*[A-Za-z]|\].*?(?:\u0007|\\+u0007))/gi, '')
    .replace(/\\+u(?:0000|200b|2060)|\\+n|\\+r|\\?\r?\n/gi, '')
    .replace(/[\s\u0000\u00AD\u200B-\u200D\u2060\uFEFF]/g, '');
}

function base64Readings(text: string): string[] {
  const runs = text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? [];
  return runs.flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')));
}

/**
 * Whether a reader who tries everything finds a text in some bytes. It shares nothing with the redaction: it decodes what
 * stands there, in one and in two steps, and looks for the text in any case.
 */
export function isReadable(bytes: Uint8Array | string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(wanted);
  const raw = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
  if (has(raw)) return true;
  const joined = withoutCuts(raw);
  const once = [raw, joined, ...readings.map((read) => read(raw)), ...readings.map((read) => read(joined))];
  if (once.some(has)) return true;
  const twice = [...new Set(once)].flatMap((text) => readings.map((read) => read(text)));
  if (twice.some(has) || twice.some((text) => has(withoutCuts(text)))) return true;
  return [raw, joined, ...once].some((text) => base64Readings(text).some(has));
}
