import { KnownSecrets } from './known-secrets.ts';
import { isOwnWords } from './own-words.ts';
import { shortestSecret } from './secret-forms.ts';
import { redactPatterns, redactPersonal } from './secret-patterns.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Replaces every occurrence of the secrets, in the forms that they take in JSON, URLs, base64 and hex. */
export function redactionOf(secrets: Iterable<string>): Redact {
  const secretSearch = new KnownSecrets(secrets);
  return (text) => secretSearch.redact(text);
}

/** Replaces known secrets, and then what has the shape of one. */
export function redactionWithPatterns(secrets: Iterable<string>): Redact {
  const secretSearch = new KnownSecrets(secrets);
  return (text) => redactPatterns(secretSearch.redact(text));
}

/** Also takes out personal data, for pages that people share. */
export function redactForReport(redact: Redact): Redact {
  return (text) => redactPersonal(redact(text));
}

const mostRemembered = 2_048;
const mostRecent = 256;
const longestRemembered = 256;

/**
 * The same, quicker: what was clean once is clean. Most texts of a run are names that come again and again from the
 * beginning, so they are kept for good; the ids and texts of one trial come a few times, one soon after the other.
 */
export function rememberingClean(redact: Redact): Redact {
  const clean = new Set<string>();
  const recent = new Set<string>();
  return (text) => {
    if (text.length < shortestSecret || clean.has(text) || recent.has(text)) return text;
    const redacted = redact(text);
    if (redacted !== text || text.length > longestRemembered) return redacted;
    if (clean.size < mostRemembered) clean.add(text);
    else {
      if (recent.size === mostRecent) recent.clear();
      recent.add(text);
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
export function redactDeep<Value>(value: Value, redact: Redact): Value {
  // Most values are clean, and looking is far quicker than copying.
  return isClean(value, redact, keysFor(redact), 0) ? value : (redactValue(value, redact, 0) as Value);
}

/** Verdicts on keys of objects: they are few, and each comes in every record. */
type Keys = Map<string, KeyVerdict>;
type KeyVerdict = 'clean' | 'may name a secret' | 'is to be redacted';

const keysByRedaction = new WeakMap<Redact, Keys>();

function keysFor(redact: Redact): Keys {
  const keys = keysByRedaction.get(redact) ?? new Map<string, KeyVerdict>();
  keysByRedaction.set(redact, keys);
  return keys;
}

function verdictOn(key: string, redact: Redact, keys: Keys): KeyVerdict {
  const earlier = keys.get(key);
  if (earlier) return earlier;
  const verdict = redact(key) !== key ? 'is to be redacted' : mayNameSecret.test(key) ? 'may name a secret' : 'clean';
  if (keys.size < mostRemembered) keys.set(key, verdict);
  return verdict;
}

/** Whether nothing would be taken out; false also where only a closer look can decide. */
function isClean(value: unknown, redact: Redact, keys: Keys, level: number): boolean {
  if (typeof value === 'string') return redact(value) === value;
  if (typeof value === 'number') return isCleanNumber(value, redact);
  if (typeof value !== 'object' || value === null) return true;
  if (level === deepestLevel) return false;
  if (Array.isArray(value)) return isCleanList(value, redact, keys, level + 1);
  return isOwnWords(value) || isCleanObject(value, redact, keys, level + 1);
}

function isCleanNumber(value: number, redact: Redact): boolean {
  return isHarmless(value) || Object.is(redactNumber(value, redact), value);
}

function isCleanList(list: readonly unknown[], redact: Redact, keys: Keys, level: number): boolean {
  let mayNameNext = false;
  for (const item of list) {
    if (mayNameNext || !isClean(item, redact, keys, level)) return false;
    mayNameNext = typeof item === 'string' && item.startsWith('--');
  }
  return true;
}

function isCleanObject(object: object, redact: Redact, keys: Keys, level: number): boolean {
  for (const key in object) {
    const field: unknown = (object as Record<string, unknown>)[key];
    const verdict = verdictOn(key, redact, keys);
    if (verdict === 'is to be redacted' || (verdict === 'may name a secret' && typeof field === 'string')) return false;
    if (!isClean(field, redact, keys, level)) return false;
  }
  return true;
}

function redactValue(value: unknown, redact: Redact, level: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redactNumber(value, redact);
  if (typeof value !== 'object' || value === null) return value;
  if (level === deepestLevel) return tooDeep;
  if (Array.isArray(value)) return redactList(value, redact, level + 1);
  return redactObject(value as Readonly<Record<string, unknown>>, redact, level + 1);
}

function isHarmless(value: number): boolean {
  return Math.abs(value) < smallestSecretNumber || !Number.isInteger(value);
}

function redactNumber(value: number, redact: Redact): number | string {
  if (isHarmless(value)) return value;
  const text = String(value);
  const clean = redact(text);
  return clean === text ? value : clean;
}

/** In a list of arguments, the one before can say that this one is secret. */
function redactList(list: readonly unknown[], redact: Redact, level: number): readonly unknown[] {
  const clean = list.map((item, index) => {
    const previous = list[index - 1];
    const isNamed = typeof previous === 'string' && previous.startsWith('--') && mayNameSecret.test(previous);
    return isNamed ? redactNamed(`${previous} `, item, redact, level) : redactValue(item, redact, level);
  });
  return clean.every((item, index) => Object.is(item, list[index])) ? list : clean;
}

function redactObject(object: Readonly<Record<string, unknown>>, redact: Redact, level: number): object {
  const keys = Object.keys(object);
  let clean: Map<string, unknown> | undefined;
  for (const key of keys) {
    const field = object[key];
    const cleanKey = redact(key);
    const cleanField =
      typeof field === 'string' && mayNameSecret.test(key)
        ? redactNamed(`${JSON.stringify(key)}: `, field, redact, level)
        : redactValue(field, redact, level);
    if (!clean && cleanKey === key && Object.is(cleanField, field)) continue;
    // Most objects are clean, and a copy of each would cost more than looking at it.
    clean ??= new Map(keys.slice(0, keys.indexOf(key)).map((before) => [before, object[before]]));
    clean.set(unusedKey(cleanKey, clean), cleanField);
  }
  return clean ? Object.fromEntries(clean) : object;
}

/** A value that is ordinary by itself can be a secret by its name, which only the text of both together shows. */
function redactNamed(name: string, field: unknown, redact: Redact, level: number): unknown {
  const clean = redactValue(field, redact, level);
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
