import { AssayError } from '../../../domain/errors.ts';

/** The place of a path below a base URL; the base may have a query of its own. */
export function endpointUrl(base: string, path: string): URL {
  const url = new URL(base);
  const [before = '', query] = splitOnce(path, '?');
  const tail = before.replace(/^\/+/, '');
  if (tail !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${tail}`;
  if (query !== undefined) url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url;
}

/** A URL as it may be shown: keys often stand in the query, or before the host. */
export function shownUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/** Refuses what is no address of an agent. */
export function requireHttpUrl(what: string, text: string | undefined, hint: string): string {
  if (text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text)) return text;
  const problem = text === undefined || text === '' ? 'has no base URL' : 'has a base URL that is not http or https';
  throw new AssayError('TARGET_NOT_LOADED', `The ${what} connector ${problem}.`, { hint });
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
