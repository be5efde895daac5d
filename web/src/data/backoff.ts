/** How long to wait before the next attempt: doubled each time up to a limit, and never all clients at once. */
export function backoffMs(attempt: number, { firstMs = 500, mostMs = 10_000, random = Math.random } = {}): number {
  const ceiling = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return ceiling * (0.75 + random() / 4);
}
