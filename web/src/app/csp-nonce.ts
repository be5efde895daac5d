/** The nonce that lets style elements of this page through its policy; undefined where there is no policy. */
export function cspNonce(): string | undefined {
  const content = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content');
  return content && !content.startsWith('__') ? content : undefined;
}
