import { AssayError } from '../../../domain/errors.ts';

/** A store's address as it may be shown: without its password, also where the address is a broken one. */
export function shownStoreUrl(url: string): string {
  const hidden = url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@\s]*):.*@/i, '$1@');
  return hidden.replace(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1…');
}

/** True for addresses of Postgres. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** What of the address of a Postgres store is told in messages. */
export interface PostgresPlace {
  readonly shown: string;
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** Reads the address of a Postgres store. */
export function postgresPlace(url: string): PostgresPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed)
    throw new AssayError('USAGE', `The store ${shownStoreUrl(url)} is no proper address.`, {
      hint: 'Write postgres://user:password@host:5432/database; write %40 for an @ in the password, %2F for a slash.',
    });
  const user = decodeURIComponent(parsed.username);
  const host = parsed.searchParams.get('host') ?? parsed.host;
  return { shown: shownStoreUrl(url), host, user, database: decodeURIComponent(parsed.pathname.slice(1)) || user };
}
