import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { tokenDigest } from './issued-tokens.ts';

const lifeMs = 7 * 24 * 3_600_000;
const owner = 'owner';

interface PageSessionSettings {
  /** The token of the server itself. */
  readonly token: string;
  readonly issued?: Pick<IssuedTokens, 'find' | 'withDigest'> | undefined;
  /** Distinguishes servers: browsers send a cookie to every port of its host. */
  readonly cookieName: string;
}

/**
 * Sessions of browsers. Their cookie is not the token, because every server on another port of the host receives it: it
 * says who has logged in until when, and is signed with a key that is made of the server's token. Sessions therefore
 * end with a new token, and those of a token that is deleted with it.
 */
export class PageSessions {
  readonly #settings: PageSessionSettings;
  readonly #key: Buffer;

  constructor(settings: PageSessionSettings) {
    this.#settings = settings;
    this.#key = createHash('sha256').update(`assay pages\0${settings.token}`).digest();
  }

  /** The value of the cookie for a caller who has shown a valid token. */
  begin(token: string, caller: Caller, now = Date.now()): string {
    const subject = caller.tokenName === null ? owner : tokenDigest(token);
    const content = `${subject}.${(now + lifeMs).toString(36)}.${randomBytes(16).toString('base64url')}`;
    return `${content}.${this.#signature(content)}`;
  }

  /** Undefined for a cookie that was not made here, has expired, or whose token was deleted. */
  callerOf(cookie: string | undefined, now = Date.now()): Caller | undefined {
    const [, content = '', subject = '', expires = '', signature = ''] =
      /^(([a-z0-9]+)\.([a-z0-9]+)\.[\w-]+)\.([\w-]+)$/.exec(cookie ?? '') ?? [];
    const wanted = this.#signature(content);
    const isOurs = signature.length === wanted.length && timingSafeEqual(Buffer.from(signature), Buffer.from(wanted));
    if (!isOurs || Number.parseInt(expires, 36) <= now) return undefined;
    return subject === owner ? { role: 'owner', tokenName: null } : this.#settings.issued?.withDigest(subject);
  }

  #signature(content: string): string {
    return createHmac('sha256', this.#key).update(`${this.#settings.cookieName}\0${content}`).digest('base64url');
  }
}
