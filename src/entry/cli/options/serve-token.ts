import { AssayError } from '../../../domain/errors.ts';
import { isLoopback } from '../../server/listen.ts';
import type { CliContext } from '../context.ts';

const shortestToken = 24;

/** The token that the user gives a server in `ASSAY_SERVE_TOKEN`; required where other machines can reach it. */
export function tokenFor(host: string, { ASSAY_SERVE_TOKEN: own }: CliContext['env']): string | undefined {
  if (own !== undefined && (own.length < shortestToken || !/^[\w.~+/=-]+$/.test(own))) {
    throw new AssayError(
      'USAGE',
      `ASSAY_SERVE_TOKEN must have at least ${shortestToken} letters, digits or any of -_.~+/=.`,
    );
  }
  if (own === undefined && !isLoopback(host)) {
    throw new AssayError('USAGE', `${host} is reachable from other machines, and ASSAY_SERVE_TOKEN is not set.`, {
      hint: `Set ASSAY_SERVE_TOKEN to a secret of at least ${shortestToken} characters.`,
    });
  }
  return own;
}
