import { hash, randomBytes } from 'node:crypto';

/** Hex SHA-256 of a text. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** A run id that sorts by time and can be read aloud: `r-20261115-093012-4f7a1c`. */
export function newRunId(startedAt: Date): string {
  const stamp = startedAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `r-${stamp}-${randomBytes(3).toString('hex')}`;
}

/** A short key that is a function of what it is made from. */
export function contentKey(parts: readonly string[]): string {
  return sha256(parts.join('\u0000')).slice(0, 12);
}
