import { AssayError } from '../../../domain/errors.ts';
import { isLoopback } from '../../server/listen.ts';
import type { CliContext } from '../context.ts';

const shortestToken = 24;

/** The token that the user gives a server in `ASSAY_SERVE_TOKEN`; required where other machines can reach it. */
export function tokenFor(host: string, context: CliContext): string | undefined {
  return tokenIn('ASSAY_SERVE_TOKEN', host, context);
}

/** The same for a server that only collects traces. */
export function collectTokenFor(host: string, context: CliContext): string | undefined {
  return tokenIn('ASSAY_COLLECT_TOKEN', host, context);
}

function tokenIn(
  variable: keyof NonNullable<CliContext['serverTokens']>,
  host: string,
  { serverTokens }: CliContext,
): string | undefined {
  const own = serverTokens?.[variable];
  if (own !== undefined && (own.length < shortestToken || !/^[\w.~+/=-]+$/.test(own))) {
    throw new AssayError('USAGE', `${variable} must have at least ${shortestToken} letters, digits or any of -_.~+/=.`);
  }
  if (own === undefined && !isLoopback(host)) {
    throw new AssayError('USAGE', `${host} is reachable from other machines, and ${variable} is not set.`, {
      hint: `Set ${variable} to a secret of at least ${shortestToken} characters.`,
    });
  }
  return own;
}
