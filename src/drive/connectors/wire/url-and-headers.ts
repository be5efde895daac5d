import { AssayError } from '../../../domain/errors.ts';
import { canSendHeader } from '../../../shared/http/exchange.ts';
import { type Redact, redactionOf } from '../../../shared/redaction/redaction.ts';

/** Joins a path to a base URL, which may have its own query. */
export function endpointUrl(base: string, path: string): URL {
  const url = new URL(base);
  const [before = '', query] = splitOnce(path, '?');
  const tail = before.replace(/^\/+/, '');
  if (tail !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${tail}`;
  if (query !== undefined) url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url;
}

/** Drops the query and the part before the host, which often hold keys. */
export function urlWithoutSecrets({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/** Refuses anything but an http or https URL. */
export function requireHttpUrl(type: string, text: string | undefined, hint: string): string {
  if (text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text)) return text;
  const problem = text === undefined || text === '' ? 'has no base URL' : 'has a base URL that is not http or https';
  throw new AssayError('TARGET_NOT_LOADED', `The ${type} connector ${problem}.`, { hint });
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

export type Headers = Readonly<Record<string, string>>;

/** Headers that hold nothing about the user. */
const harmless: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'anthropic-version',
  'cache-control',
  'content-type',
  'user-agent',
]);
/** Computed from the body; a wrong one makes the connection unusable. */
const computed: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** Headers with names in lower case; later layers override earlier ones, and invalid headers are refused. */
export function mergedHeaders(...layers: readonly Headers[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const layer of layers) {
    for (const [written, value] of Object.entries(layer)) {
      const name = written.toLowerCase();
      if (computed.has(name) || !canSendHeader(name, value)) {
        throw new AssayError('TARGET_NOT_LOADED', `The header "${written}" cannot be sent.`, {
          hint: 'Correct the headers of the connector or of the persona.',
        });
      }
      merged[name] = value;
    }
  }
  return merged;
}

/** The secrets in headers: their values, and the part after a word such as `Bearer`. */
function secretsIn(headers: Headers): string[] {
  return Object.entries(headers)
    .filter(([name]) => !harmless.has(name.toLowerCase()))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}

export interface RedactedHeaders {
  readonly headers: Headers;
  readonly redact: Redact;
}

/** The headers of a connector, overridden by those of the persona that speaks. */
export class RequestHeaders {
  readonly #base: RedactedHeaders;
  readonly #secrets: readonly string[];
  /** Personas are few, and their headers are the same objects in each of their trials. */
  readonly #byPersona = new WeakMap<Headers, RedactedHeaders>();

  /** `secrets` are those beyond the headers, such as one in a URL. */
  constructor(headers: Headers, secrets: readonly string[] = []) {
    this.#secrets = secrets;
    this.#base = this.#withRedaction(mergedHeaders(headers));
  }

  forPersona(persona: Headers): RedactedHeaders {
    if (Object.keys(persona).length === 0) return this.#base;
    const cached = this.#byPersona.get(persona);
    if (cached) return cached;
    const merged = this.#withRedaction(mergedHeaders(this.#base.headers, persona));
    this.#byPersona.set(persona, merged);
    return merged;
  }

  #withRedaction(headers: Headers): RedactedHeaders {
    return { headers, redact: redactionOf([...secretsIn(headers), ...this.#secrets]) };
  }
}
