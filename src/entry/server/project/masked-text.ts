import { AssayError } from '../../../domain/errors.ts';
import type { ParsedSource } from '../../../load/sources/parsed-source.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import { type SecretPlace, secretPlaces } from './secret-places.ts';

/** A text in which secrets are replaced by numbered masks, and what each stands for. */
export interface MaskedText {
  readonly text: string;
  readonly secrets: readonly string[];
}

interface Span {
  readonly start: number;
  readonly secret: string;
}

const maskStart = '••••••••';
const mask = new RegExp(`${maskStart}(\\d+)`, 'g');

/** The text of a file without the secrets that are written out in its settings; undefined where one cannot be told apart. */
export async function maskText(path: string, text: string): Promise<MaskedText | undefined> {
  const source = await parseSource(path, text).catch(() => undefined);
  const spans = source ? spansOf(source, text) : assignedSpans(text);
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

/** Puts the secrets of a file back where a text has their masks. */
export function unmaskText(text: string, secrets: readonly string[]): string {
  return text.replace(mask, (found, number: string) => {
    const secret = secrets[Number(number) - 1];
    if (secret !== undefined) return secret;
    throw new AssayError('USAGE', `There is no secret in this file that "${found}" could stand for.`, {
      hint: 'Write the name of an environment variable instead: ${NAME}.',
    });
  });
}

function spansOf(source: ParsedSource, text: string): Span[] | undefined {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const places = secretPlaces(source.value).map((place) => {
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
  /^([ \t]*(?:-[ \t]+)?["']?(?:(?:proxy-)?authorization|(?:set-)?cookie|[\w-]*(?:api|openai|access|auth|secret|client)[_-]?(?:key|token|secret)|password|token|secret)["']?[ \t]*[:=][ \t]*["']?)([^\s"'#,{}$][^"'#,{}$\r\n]*)/gim;

/** In a file that does not parse, what is given to a name that says that it is secret. */
function assignedSpans(text: string): Span[] {
  return [...text.matchAll(assigned)].map(({ index, 1: before = '', 2: value = '' }) => ({
    start: index + before.length,
    secret: value.trimEnd(),
  }));
}
