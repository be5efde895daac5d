import { isUtf8 } from 'node:buffer';
import { KnownSecrets } from './known-secrets.ts';
import { isOwnWords } from './own-words.ts';
import { asRedacted, type Redacted, type RedactedBytes } from './redacted.ts';
import { shortestSecret } from './secret-forms.ts';
import { redactPatterns, redactPersonal } from './secret-patterns.ts';

/** Takes secrets out of a text, which may leave then. */
export type Redact = (text: string) => Redacted;

/** Changes a text that stays inside: a part of it may be unknown yet, and it is redacted as a whole where it leaves. */
export type Clean = (text: string) => string;

/** Replaces every occurrence of the secrets, in the forms that they take in JSON, URLs, base64 and hex. */
export function redactionOf(secrets: Iterable<string>): Redact {
  const secretSearch = new KnownSecrets(secrets);
  return (text) => asRedacted(secretSearch.redact(text));
}

/** Replaces known secrets, and then what has the shape of one. */
export function redactionWithPatterns(secrets: Iterable<string>): Redact {
  const secretSearch = new KnownSecrets(secrets);
  return (text) => asRedacted(redactPatterns(secretSearch.redact(text)));
}

/** Also takes out personal data, for pages that people share. */
export function redactForReport(redact: Redact): Redact {
  return (text) => asRedacted(redactPersonal(redact(text)));
}

const mostRemembered = 2_048;
const mostRecent = 8;
const longestRemembered = 256;

/**
 * The same, quicker: what was clean once is clean. Most texts of a run are names that come again and again from the
 * beginning, so they are kept for good; the ids and texts of one trial come a few times, one soon after the other.
 */
export function rememberingClean(redact: Redact): Redact {
  const clean = new Set<string>();
  // Few enough to be compared one by one, which costs less than to hash a text that comes three times and never again.
  const recent: string[] = [];
  let oldest = 0;
  return (text) => {
    if (text.length < shortestSecret || clean.has(text) || recent.includes(text)) return asRedacted(text);
    const redacted = redact(text);
    if (redacted !== text || text.length > longestRemembered) return redacted;
    if (clean.size < mostRemembered) clean.add(text);
    else {
      recent[oldest] = text;
      oldest = (oldest + 1) % mostRecent;
    }
    return redacted;
  };
}

const deepestLevel = 200;
const tooDeep = `(nested deeper than ${deepestLevel} levels)`;
/** A number with fewer digits is not a secret, and neither is a measured one. */
const smallestSecretNumber = 10_000_000;
const mayNameSecret = /key|token|secret|pass|pwd|credential|auth/i;

/** A value without secrets in its texts, keys and numbers; the very same value when it has none. */
export function redactDeep<Value>(value: Value, redact: Clean): Value {
  return redactValue(value, { redact, keys: keysFor(redact) }, 0) as Value;
}

/** A value as JSON, without secrets in its texts, keys and numbers. */
export function redactedJson(value: unknown, redact: Redact, indent?: number): Redacted {
  return asRedacted(JSON.stringify(redactDeep(value, redact), null, indent));
}

/** A text drawn of a value without its secrets. */
export function drawnOf<Value>(value: Value, redact: Redact, draw: (clean: Value) => string): Redacted {
  return asRedacted(draw(redactDeep(value, redact)));
}

/** A file as it is, without secrets in it, whether or not it is a text. */
export function redactedBytes(bytes: Buffer, redact: Redact): RedactedBytes {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redact(text);
  return (clean === text ? bytes : Buffer.from(clean, encoding)) as Uint8Array as RedactedBytes;
}

/** How a value is redacted, and what is known of the keys in it. */
interface Redaction {
  readonly redact: Clean;
  readonly keys: Keys;
}

/** Verdicts on keys of objects: they are few, and each comes in every record. */
type Keys = Map<string, KeyVerdict>;
type KeyVerdict = 'clean' | 'may name a secret' | 'is to be redacted';

const keysByRedaction = new WeakMap<Clean, Keys>();

function keysFor(redact: Clean): Keys {
  const keys = keysByRedaction.get(redact) ?? new Map<string, KeyVerdict>();
  keysByRedaction.set(redact, keys);
  return keys;
}

function verdictOn(key: string, { redact, keys }: Redaction): KeyVerdict {
  const earlier = keys.get(key);
  if (earlier) return earlier;
  const verdict = redact(key) !== key ? 'is to be redacted' : mayNameSecret.test(key) ? 'may name a secret' : 'clean';
  if (keys.size < mostRemembered) keys.set(key, verdict);
  return verdict;
}

/** Most values are clean, and only those that are not are copied. */
function redactValue(value: unknown, redaction: Redaction, level: number): unknown {
  if (typeof value === 'string') return redaction.redact(value);
  if (typeof value === 'number') return redactNumber(value, redaction.redact);
  if (typeof value !== 'object' || value === null) return value;
  if (level === deepestLevel) return tooDeep;
  if (Array.isArray(value)) return redactList(value, redaction, level + 1);
  if (isOwnWords(value)) return value;
  return redactObject(value as Readonly<Record<string, unknown>>, redaction, level + 1);
}

function isHarmless(value: number): boolean {
  return Math.abs(value) < smallestSecretNumber || !Number.isInteger(value);
}

function redactNumber(value: number, redact: Clean): number | string {
  if (isHarmless(value)) return value;
  const text = String(value);
  const clean = redact(text);
  return clean === text ? value : clean;
}

/** In a list of arguments, the one before can say that this one is secret. */
function redactList(list: readonly unknown[], redaction: Redaction, level: number): readonly unknown[] {
  let clean: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const previous = list[index - 1];
    const isNamed = typeof previous === 'string' && previous.startsWith('--') && mayNameSecret.test(previous);
    const cleanItem = isNamed
      ? redactNamed(`${previous} `, item, redaction, level)
      : redactValue(item, redaction, level);
    if (!clean && Object.is(cleanItem, item)) continue;
    clean ??= list.slice(0, index);
    clean.push(cleanItem);
  }
  return clean ?? list;
}

function redactObject(object: Readonly<Record<string, unknown>>, redaction: Redaction, level: number): object {
  let clean: Map<string, unknown> | undefined;
  for (const key in object) {
    const field = object[key];
    const verdict = verdictOn(key, redaction);
    const isNamed = verdict !== 'clean' && mayNameSecret.test(key);
    const cleanField = isNamed
      ? redactNamed(`${JSON.stringify(key)}: `, field, redaction, level)
      : redactValue(field, redaction, level);
    if (!clean && verdict !== 'is to be redacted' && Object.is(cleanField, field)) continue;
    clean ??= entriesBefore(key, object);
    clean.set(unusedKey(redaction.redact(key), clean), cleanField);
  }
  return clean ? Object.fromEntries(clean) : object;
}

function entriesBefore(key: string, object: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const keys = Object.keys(object);
  return new Map(keys.slice(0, keys.indexOf(key)).map((before) => [before, object[before]]));
}

/** A value that is ordinary by itself can be a secret by its name, which only the text of both together shows. */
function redactNamed(name: string, field: unknown, redaction: Redaction, level: number): unknown {
  const { redact } = redaction;
  const clean = redactValue(field, redaction, level);
  if (typeof field !== 'string' || clean !== field) return clean;
  const written = JSON.stringify(field);
  return redact(name + written) === redact(name) + written ? field : '[REDACTED]';
}

/** Two keys with nothing but secrets in them stay two. */
function unusedKey(key: string, used: ReadonlyMap<string, unknown>): string {
  let candidate = key;
  for (let count = 2; used.has(candidate); count++) candidate = `${key} ${count}`;
  return candidate;
}
