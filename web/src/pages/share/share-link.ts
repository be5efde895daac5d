/** The address of a page for a colleague: with a token for them, and never with that of this browser. */
export function linkTo(address: string, token: string | undefined): string {
  const link = new URL(address);
  link.searchParams.delete('token');
  if (token !== undefined) link.searchParams.set('token', token);
  return link.href;
}

/** Whether other machines cannot reach a host by this name. */
export function isOnlyHere(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname);
}
