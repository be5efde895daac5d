import { once } from 'node:events';
import { AssayError } from '../../domain/errors.ts';
import { isLoopback } from '../server/guard/hosts.ts';
import { serve } from '../server/serve.ts';
import type { Invocation } from './command.ts';
import { type CliContext, write } from './context.ts';
import { Interrupt } from './interrupt.ts';
import { openInBrowser } from './open-in-browser.ts';

interface ServeFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly open?: boolean;
  readonly store?: string;
  readonly json?: boolean;
}

const usualPort = 7420;
const shortestToken = 24;

/** Serves until it is told to end. */
export async function serveProject({ options: given, context }: Invocation): Promise<number> {
  const { port, host = '127.0.0.1', allowHost, open, store, json } = given as ServeFlags;
  using interrupt = new Interrupt(() => undefined);
  await using server = await serve({
    folder: context.cwd,
    env: context.env,
    storeUrl: store,
    host,
    port: port ?? usualPort,
    mayMovePort: port === undefined,
    allowHosts: allowHost,
    token: tokenFor(host, context.env),
  });
  const { url, token } = server;
  if (json) await write(context.stdout, `${JSON.stringify({ url, token, pid: process.pid })}\n`);
  else await tellAddress(url, context);
  if (open && !(await openInBrowser(url))) await write(context.stderr, '  No browser could be opened.\n');
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

async function tellAddress(url: string, { stdout, stderr }: CliContext): Promise<void> {
  await write(stderr, '\n  Assay is ready. Open this address; it lets you in. Ctrl-C ends it.\n\n  ');
  await write(stdout, `${url}\n`);
  await write(stderr, '\n');
}

function tokenFor(host: string, { ASSAY_SERVE_TOKEN: own }: CliContext['env']): string | undefined {
  if (own !== undefined && (own.length < shortestToken || !/^[\w.~+/=-]+$/.test(own))) {
    throw new AssayError(
      'USAGE',
      `ASSAY_SERVE_TOKEN must have at least ${shortestToken} letters, digits or any of -_.~+/=.`,
    );
  }
  if (own === undefined && !isLoopback(host)) {
    throw new AssayError('USAGE', `${host} can be reached by others, and there is no token of your own.`, {
      hint: `Set ASSAY_SERVE_TOKEN to a secret of at least ${shortestToken} characters.`,
    });
  }
  return own;
}
