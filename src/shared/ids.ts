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

/**
 * A trial id that is a function of what the trial is: the same run, scenario, case, variant and repeat always give
 * the same id, which is what makes resuming and repeated writes harmless.
 */
export function trialId(parts: readonly (string | number)[]): string {
  return `t-${hash('sha256', parts.join('\u0000'), 'base64url').slice(0, 16)}`;
}
