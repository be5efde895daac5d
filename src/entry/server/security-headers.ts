/** The policy of the pages: they load only files of this server. */
export function contentSecurityPolicy(nonce?: string, formAction = "'none'"): string {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Put on every response, refusals included; what a handler has set itself stays. */
export function addSecurityHeaders(headers: Headers, isApi: boolean): void {
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', contentSecurityPolicy());
  if (!headers.has('cache-control') || isApi) headers.set('cache-control', 'no-store');
  headers.set('x-content-type-options', 'nosniff');
  if (!headers.has('referrer-policy')) headers.set('referrer-policy', 'no-referrer');
  if (!headers.has('x-frame-options')) headers.set('x-frame-options', 'DENY');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
}
