import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { endToEndHeaders } from '../../shared/http/end-to-end-headers.ts';

/** Where requests of a session go, and the keys that they are given on the way. */
export interface RouteTarget {
  /** Base URL of the provider, as the agent would be given it. */
  readonly baseUrl: URL;
  /** Keys of the provider; each gets a placeholder, and only the placeholder leaves the gateway. */
  readonly keys: readonly string[];
  /** Passes on keys that are not placeholders, for programs that bring their own. */
  readonly passesOtherKeys?: boolean;
}

/** Headers in which clients send their keys. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** Headers that are written again for the next connection. */
const rewrittenHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'expect']);

/** Why a request is not passed on. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One address of the gateway that leads to one provider, for one session. */
export class Route {
  readonly token = randomBytes(18).toString('base64url');
  /** By the order of the keys; one for a route without keys, so its clients have something to send. */
  readonly placeholders: readonly string[];
  readonly #target: RouteTarget;
  readonly #keys: ReadonlyMap<string, string | undefined>;
  readonly #basePath: string;

  constructor(target: RouteTarget) {
    this.#target = target;
    this.#basePath = target.baseUrl.pathname.replace(/\/+$/, '');
    this.placeholders = Array.from({ length: Math.max(1, target.keys.length) }, newPlaceholder);
    this.#keys = new Map(this.placeholders.map((placeholder, index) => [placeholder, target.keys[index]]));
  }

  /** Under this path of the gateway a client finds the provider's base URL. */
  get path(): string {
    return `/${this.token}${this.#basePath}`;
  }

  /** A path of a request without the part that belongs to the provider's base URL. */
  behindBase(pathname: string): string {
    return pathname.startsWith(`${this.#basePath}/`) ? pathname.slice(this.#basePath.length) : pathname;
  }

  get secrets(): readonly string[] {
    return this.#target.keys;
  }

  /** The provider's URL for a path behind the token; a path that leads out of the base URL is refused. */
  urlOf(path: string, search: string): URL {
    if (leadsElsewhere(path)) throw new RefusedRequest(400, 'The path of the request is not allowed.');
    const { origin } = this.#target.baseUrl;
    const url = new URL(`${origin}${path}${search}`);
    const isInside = url.pathname === this.#basePath || url.pathname.startsWith(`${this.#basePath}/`);
    if (url.origin !== origin || !isInside) {
      throw new RefusedRequest(404, `The gateway passes on requests below ${this.#basePath || '/'} only.`);
    }
    for (const value of url.searchParams.getAll('key')) {
      const key = this.#keyFor(value);
      if (key === undefined) url.searchParams.delete('key');
      else url.searchParams.set('key', key);
    }
    return url;
  }

  /** The headers for the provider: with its own keys, and without those of the connection. */
  headersFor(headers: IncomingHttpHeaders): Record<string, string> {
    const passed: Record<string, string> = {};
    for (const [name, value] of Object.entries(endToEndHeaders(headers))) {
      if (value === undefined || rewrittenHeaders.has(name)) continue;
      passed[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    for (const name of keyHeaders) {
      const sent = passed[name];
      if (sent === undefined) continue;
      const [scheme, value] = splitScheme(sent);
      const key = this.#keyFor(value);
      if (key === undefined) delete passed[name];
      else passed[name] = `${scheme}${key}`;
    }
    return passed;
  }

  /** Throws unless the request carries a placeholder of this route, and no key that is not one. */
  authorize(headers: IncomingHttpHeaders, search: string): void {
    const carried = [
      ...keyHeaders.flatMap((name) => (typeof headers[name] === 'string' ? [splitScheme(headers[name])[1]] : [])),
      ...new URLSearchParams(search).getAll('key'),
    ];
    if (carried.some((key) => !this.#keys.has(key) && !this.#target.passesOtherKeys)) {
      throw new RefusedRequest(401, 'The key of the request does not belong to this session of the gateway.');
    }
    // The address cannot be guessed; where there is not a key to protect, it is enough.
    if (carried.length === 0 && this.#target.keys.length > 0 && !this.#target.passesOtherKeys) {
      throw new RefusedRequest(401, 'The request has no key. Send the placeholder that belongs to this address.');
    }
  }

  /** Undefined for the placeholder of a route without keys: its provider wants none. */
  #keyFor(carried: string): string | undefined {
    return this.#keys.has(carried) ? this.#keys.get(carried) : carried;
  }
}

function newPlaceholder(): string {
  return `assay-${randomBytes(24).toString('hex')}`;
}

/** `Bearer x` as its scheme and its value. */
function splitScheme(value: string): [scheme: string, value: string] {
  const [, scheme = '', rest = value] = /^(\w+\s+)(.*)$/s.exec(value) ?? [];
  return [scheme, rest.trim()];
}

/** Dots, encoded or not, backslashes and broken encodings: servers disagree about what they mean. */
function leadsElsewhere(path: string): boolean {
  let decoded = path;
  for (let round = 0; round < 3; round++) {
    if (/(^|\/)\.{1,2}(\/|$)|[\\\u0000-\u0020]/.test(decoded)) return true;
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return true;
    }
  }
  return false;
}
