import { AssayError } from '../../../domain/errors.ts';
import { type ParsedSource, valueAt } from '../../../load/sources/parsed-source.ts';
import { isModule, parseSource } from '../../../load/sources/source-file.ts';
import { changedValue, type Path } from '../../../shared/document-edit/document-change.ts';
import { namesSecret, namesSecretHeader } from '../../../shared/redaction/assigned-secrets.ts';

/** A part of a string in some data that must not be shown. */
interface SecretPlace {
  readonly path: Path;
  readonly value: string;
  /** The part of the value that is secret, and where in it. */
  readonly secret: string;
  readonly start: number;
}

/** Stands for what is not shown. */
export const mask = '••••••••';

/** A value of the config without the secrets that are written out in it. */
export function maskValue<Value>(value: Value): Value {
  return secretPlaces(value).reduce<Value>((masked, place) => {
    const { value: text, secret, start, path } = place;
    const maskedText = `${text.slice(0, start)}${mask}${text.slice(start + secret.length)}`;
    return changedValue(masked, { kind: 'set', path: path, value: maskedText }) as Value;
  }, value);
}

/** Puts the secrets back where a written value has their masks; masks without a secret are returned as unknown. */
export function unmaskValue(
  written: unknown,
  before: unknown,
): { readonly value: unknown; readonly unknown: readonly Path[] } {
  const withMasks = maskValue(before);
  let value = written;
  const unknown: Path[] = [];
  for (const path of maskedPaths(written, [])) {
    if (valueAt(withMasks, path) === valueAt(written, path))
      value = changedValue(value, { kind: 'set', path: path, value: valueAt(before, path) });
    else unknown.push(path);
  }
  return { value, unknown };
}

function maskedPaths(value: unknown, path: Path): Path[] {
  if (typeof value === 'string') return value.includes(mask) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    maskedPaths(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** A text in which secrets are replaced by numbered masks, and what each stands for. */
interface MaskedText {
  readonly text: string;
  readonly secrets: readonly string[];
}

interface Span {
  readonly start: number;
  readonly secret: string;
}

const maskStart = '••••••••';
const numberedMask = new RegExp(`${maskStart}(\\d+)`, 'g');

/** The text of a file without the secrets that are written out in its settings; undefined where a secret cannot be located. */
export async function maskText(path: string, text: string): Promise<MaskedText | undefined> {
  const spans = await secretSpans(path, text);
  if (!spans) return undefined;
  const ordered = spans.toSorted((a, b) => a.start - b.start);
  const secrets = [...new Set(ordered.map(({ secret }) => secret))];
  let end = 0;
  let masked = '';
  for (const { start, secret } of ordered) {
    masked += `${text.slice(end, start)}${maskStart}${secrets.indexOf(secret) + 1}`;
    end = start + secret.length;
  }
  return { text: masked + text.slice(end), secrets };
}

/**
 * Puts the secrets of a file back where a text has their masks. Only a place whose content is masked gets one: anywhere
 * else the next reader of the file would see it.
 */
export async function unmaskText(path: string, text: string, secrets: readonly string[]): Promise<string> {
  const restored: Span[] = [];
  let end = 0;
  let unmasked = '';
  for (const { 0: found, 1: number, index } of text.matchAll(numberedMask)) {
    const secret = secrets[Number(number) - 1];
    if (secret === undefined) throw unusableMask(`No secret in this file has the mask "${found}".`);
    unmasked += text.slice(end, index);
    restored.push({ start: unmasked.length, secret });
    unmasked += secret;
    end = index + found.length;
  }
  unmasked += text.slice(end);
  if (restored.length === 0) return unmasked;
  const masked = (await secretSpans(path, unmasked)) ?? [];
  for (const span of restored) {
    if (masked.some((place) => isWithin(span, place))) continue;
    const { start } = span;
    const line = unmasked.slice(0, start).split('\n').length;
    throw unusableMask(`The mask in line ${line} is not the value of a setting for secrets, so it would be shown.`);
  }
  return unmasked;
}

function isWithin(span: Span, place: Span): boolean {
  return span.start >= place.start && span.start + span.secret.length <= place.start + place.secret.length;
}

function unusableMask(message: string): AssayError {
  return new AssayError('USAGE', message, {
    hint: 'Write the name of an environment variable instead: ${NAME}.',
  });
}

async function secretSpans(path: string, text: string): Promise<readonly Span[] | undefined> {
  const source = isModule(path) ? undefined : await parseSource(path, text).catch(() => undefined);
  const spans = source ? spansOf(source, text) : assignedSpans(text);
  if (!spans) return undefined;
  const keys = privateKeySpans(text);
  return [...keys, ...spans.filter((span) => !keys.some((key) => isWithin(span, key)))];
}

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;

/** Also in a text of several indented lines, where the value stands in another form. */
function privateKeySpans(text: string): Span[] {
  return [...text.matchAll(privateKey)].map(({ 0: secret, index: start }) => ({ start, secret }));
}

function spansOf(source: ParsedSource, text: string): Span[] | undefined {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const located = secretPlaces(source.value).filter(({ value }) => value.search(privateKey) === -1);
  const places = located.map((place) => {
    const { line, column } = source.locate(place.path);
    return { place, span: spanAt(text, (lineStarts[line - 1] ?? 0) + column - 1, place) };
  });
  const spans = places.flatMap(({ span }) => span ?? []);
  const isFound = ({ secret }: SecretPlace): boolean => spans.some((span) => span.secret === secret);
  return places.every(({ place }) => isFound(place)) ? withoutRepeats(spans) : undefined;
}

function spanAt(text: string, offset: number, { value, secret, start }: SecretPlace): Span | undefined {
  const at = [offset, offset + 1].find((candidate) => text.startsWith(value, candidate));
  return at === undefined ? undefined : { start: at + start, secret };
}

/** Through aliases one place can be found twice. */
function withoutRepeats(spans: readonly Span[]): Span[] {
  return [...new Map(spans.map((span) => [span.start, span])).values()];
}

const assigned =
  /((?:^|[{,])[ \t]*(?:-[ \t]+)?["']?(?:(?:proxy-)?authorization|(?:set-)?cookie|[\w-]*(?:api|openai|access|auth|secret|client)[_-]?(?:key|token|secret)|password|token|secret)["']?[ \t]*[:=][ \t]*["']?)(?!process\.env)([^\s"'#,{}$][^"'#,{}$\r\n]*)/gim;

const passwordInAddress = /([A-Za-z][\w+.-]*:\/\/[^\s/?#@:"'`]*:)([^\s/?#@"'`$]+)@/g;

/** In a program and in a file that does not parse, what is given to a name that says that it is secret, and passwords. */
function assignedSpans(text: string): Span[] {
  const spanOf = ({ index, 1: before = '', 2: value = '' }: RegExpExecArray): Span => ({
    start: index + before.length,
    secret: value.trimEnd(),
  });
  const values = [...text.matchAll(assigned)].map(spanOf);
  const passwords = [...text.matchAll(passwordInAddress)].map(spanOf);
  return [...values, ...passwords.filter((span) => !values.some((value) => isWithin(span, value)))];
}

/** Values of these keys are material for agents and tools, not settings. */
const materialKeys = new Set(['input', 'inputs', 'cases', 'expected', 'messages', 'args', 'arguments', 'criteria']);
const secretKeys =
  /^(?:api_?key|openai_?key|private_?key|password|passwd|secret|client_?secret|(?:access|auth|bearer)_?token|token)$/i;

/** The secrets that are written out in settings; `${VAR}` is a name and no secret. */
function secretPlaces(value: unknown, path: Path = []): SecretPlace[] {
  if (typeof value === 'string') return secretIn(value, path);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    materialKeys.has(key) ? [] : secretPlaces(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function secretIn(value: string, path: Path): SecretPlace[] {
  const name = String(path.at(-1));
  const around = String(path.at(-2));
  if (value === '' || value.includes('${')) return [];
  const isHeader = around === 'headers' && namesSecretHeader(name);
  const isVariable = around === 'env' && namesSecret(name);
  const isSecret = isHeader || isVariable || secretKeys.test(name) || value.search(privateKey) !== -1;
  return isSecret ? [{ path, value, secret: value, start: 0 }] : passwordIn(value, path);
}

function passwordIn(value: string, path: Path): SecretPlace[] {
  const [, before = '', password] = /^([A-Za-z][\w+.-]*:\/\/[^/?#@:]*:)([^/?#@]+)@/.exec(value) ?? [];
  return password === undefined ? [] : [{ path, value, secret: password, start: before.length }];
}
