import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AssayError } from '../../../domain/errors.ts';
import { isLoopback } from '../../server/listen.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { integerOption, listOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { storeOption } from '../project-store.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Asks the system to show an address; false where nothing could be started for it. */
function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const opener = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}

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
async function serveProject({ options: given, context }: Invocation): Promise<number> {
  const { port, host = '127.0.0.1', allowHost, open, store, json } = given as ServeFlags;
  const { serve } = await import('../../server/serve.ts');
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

/** `assay serve`: the web pages and the API. */
export const serveCommand: CliCommand = {
  configure(command) {
    command
      .option('-p, --port <n>', 'port; 7420 or the next free one unless given', integerOption(0, 65_535))
      .option('--host <address>', 'address to listen on; others than this machine need ASSAY_SERVE_TOKEN', textOption)
      .option('--allow-host <names>', 'further values of `Host` to answer to, such as a proxy in front', listOption)
      .option('--open', 'open the pages in a browser')
      .option(...storeOption)
      .option('--json', 'print one JSON document with url, token and pid when it answers')
      .addHelpText(
        'after',
        '\nServes the project of the current folder until it is told to end (Ctrl-C): exit code 0.\nThe address that it prints holds a token, new at each start: whoever has it may do all that you may do here.\n\nEnvironment:\n  ASSAY_SERVE_TOKEN   a token of your own, at least 24 characters\n',
      );
  },
  async run(invocation) {
    return serveProject(invocation);
  },
};
