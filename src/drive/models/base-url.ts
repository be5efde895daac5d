const versionAtEnd = /\/v\d+(?:alpha|beta)?\d*$/;

/** Adds the version to a base URL that has none, such as `https://api.anthropic.com`. */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return versionAtEnd.test(trimmed) ? trimmed : `${trimmed}/${version}`;
}

/** The same for APIs whose base URL may end in any path: only a bare host is completed. */
export function withVersionOnHost(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/${version}` : trimmed;
}

/** A base URL without user and password, as it may be shown. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (url.username === '' && url.password === '') return baseUrl;
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}
