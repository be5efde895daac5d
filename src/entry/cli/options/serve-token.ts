import { AssayError } from '../../../domain/errors.ts';
import { isLoopback } from '../../server/listen.ts';
import type { CliContext } from '../context.ts';

const shortestToken = 24;
/** Where other machines can try tokens, one of few different characters is guessed. */
const fewestDifferent = 10;

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
  if (own !== undefined && !isLoopback(host) && new Set(own).size < fewestDifferent) {
    throw new AssayError('USAGE', `${variable} is easy to guess, and ${host} is reachable from other machines.`, {
      hint: `Use a random token of at least ${fewestDifferent} different characters, such as the output of \`openssl rand -base64 32\`.`,
    });
  }
  if (own === undefined && !isLoopback(host)) {
    throw new AssayError('USAGE', `${host} is reachable from other machines, and ${variable} is not set.`, {
      hint: `Set ${variable} to a secret of at least ${shortestToken} characters.`,
    });
  }
  return own;
}
