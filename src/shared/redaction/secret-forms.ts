/** Shorter values are no secrets, and replacing them would tear ordinary words apart. */
export const shortestSecret = 8;
/** A line of a secret with several lines counts by itself from here on: programs often print line by line. */
const shortestLine = 16;
/** JSON inside JSON inside JSON: what an agent prints about what a tool printed. */
const deepestJson = 3;

/** Every text in which a secret may be written, such as base64, hex, URL and JSON; none for what is too short. */
export function secretForms(secret: string): string[] {
  return [...new Set(secretValues(secret).flatMap(formsOf))];
}

/** The secret itself, without white space around it, and each of its lines. */
export function secretValues(secret: string): string[] {
  return [...new Set([secret, secret.trim(), ...linesOf(secret)])].filter(isLongEnough);
}

function isLongEnough(secret: string): boolean {
  return secret.length >= shortestSecret;
}

/** Lines that are one piece: words of a text around the secret are none. */
function linesOf(secret: string): string[] {
  if (!secret.includes('\n')) return [];
  return secret
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine && !/\s/.test(line));
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const escaped = [...jsonForms(secret), ...htmlForms(secret), ...pythonForms(secret), ...urlForms(bytes.toString())];
  return [secret, ...escaped, ...base64Forms(bytes), ...hexForms(secret)];
}

/** As pages write it: there are several ways to write an apostrophe. */
function htmlForms(secret: string): string[] {
  const named = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = named.replaceAll('"', '&quot;');
  return [named, quoted, ...['&#39;', '&#x27;', '&apos;'].map((apostrophe) => quoted.replaceAll("'", apostrophe))];
}

/** As Python shows a text and bytes. */
function pythonForms(secret: string): string[] {
  const text = secret.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const bytes = [...Buffer.from(text)]
    .map((byte) => (byte < 128 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`))
    .join('');
  return [text, bytes].flatMap((form) => [form, form.replaceAll("'", "\\'")]);
}

/** As the common JSON writers put it: some escape what is not ASCII, some the slash, some what HTML gives a meaning. */
function jsonForms(secret: string): string[] {
  const writers: ((json: string) => string)[] = [
    (json) => json,
    (json) => json.replace(/[^\u0000-\u007F]/g, unicodeEscape),
    (json) => json.replaceAll('/', '\\/'),
    (json) => json.replace(/[<>&]/g, unicodeEscape),
  ];
  return writers.flatMap((write) => {
    const forms = [write(insideJson(secret))];
    while (forms.length < deepestJson) forms.push(insideJson(forms.at(-1) ?? ''));
    return forms;
  });
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function urlForms(secret: string): string[] {
  const usual = encodeURIComponent(secret);
  const strict = usual.replace(/[!'()*~]/g, percentEscape);
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const lowered = [usual, strict, inForm].map((form) => form.replace(/%../g, (code) => code.toLowerCase()));
  return [usual, strict, inForm, encodeURI(secret), ...lowered];
}

function percentEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Alone, and as a part of something longer that was encoded as a whole, such as `user:password`. */
function base64Forms(bytes: Buffer): string[] {
  const alone = bytes.toString('base64');
  const cores = [0, 1, 2].map((before) => base64Core(bytes, before));
  return [alone, ...cores].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** The characters that depend on nothing but these bytes when so many other bytes stand before them. */
function base64Core(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** The bytes of a text. */
export function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [hex, hex.toUpperCase()];
}
