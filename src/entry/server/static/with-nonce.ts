/** The start page with the nonce of its style elements in `<meta name="csp-nonce">`, where scripts find it. */
export function withNonce(page: string, nonce: string): string {
  const meta = `<meta name="csp-nonce" content="${nonce}">`;
  const written = /<meta\s[^>]*name="csp-nonce"[^>]*>/;
  if (written.test(page)) return page.replace(written, meta);
  return page.replace(/<head[^>]*>/, (head) => `${head}\n    ${meta}`);
}
