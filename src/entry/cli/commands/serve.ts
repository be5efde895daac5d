import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { evalStudioConfigName } from '../../../compose/config/find-config.ts';
import { AssayError } from '../../../domain/errors.ts';
import { isLoopback } from '../../server/listen.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { collectTokenFor, tokenFor } from '../options/serve-token.ts';
import { integerOption, listOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { storeOption } from '../project-store.ts';

interface ServeFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly open?: boolean;
  readonly store?: string;
  readonly json?: boolean;
}

const usualPort = 7420;

/** Serves until it is interrupted. */
async function serveProject({ args, options: given, context }: Invocation): Promise<number> {
  const { port, host = '127.0.0.1', allowHost, open, store, json } = given as ServeFlags;
  const { serve } = await import('../../server/serve.ts');
  using interrupt = new Interrupt(() => undefined);
  await using server = await serve({
    ...servedFolder(args[0], context.cwd),
    env: context.env,
    storeUrl: store,
    host,
    port: port ?? usualPort,
    mayMovePort: port === undefined,
    allowHosts: allowHost,
    token: tokenFor(host, context),
    collectToken: collectTokenFor('localhost', context),
    warn: (message) => void context.stderr.write(`${message}\n`),
  });
  const { url, urls, token } = server;
  if (json) await write(context.stdout, `${JSON.stringify({ url, token, pid: process.pid })}\n`);
  else await printAddresses(urls, context);
  if (!isLoopback(host)) await write(context.stderr, plainHttpWarning);
  if (open && !(await openInBrowser(url))) await write(context.stderr, '  No browser could be opened.\n');
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

/** A named folder is a workspace; the current one is a workspace where EvalStudio made it one. */
function servedFolder(named: string | undefined, cwd: string): { folder: string; isWorkspace: boolean } {
  const folder = resolve(cwd, named ?? '.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AssayError('USAGE', `"${named}" is not a folder.`, { hint: 'Name a folder with projects, or none.' });
  }
  return { folder, isWorkspace: named !== undefined || existsSync(join(folder, evalStudioConfigName)) };
}

async function printAddresses(urls: readonly string[], { stdout, stderr }: CliContext): Promise<void> {
  const [which, it] = urls.length === 1 ? ['this URL', 'it contains'] : ['one of these URLs', 'they contain'];
  await write(stderr, `\n  Assay is running. Open ${which} (${it} your access token). Ctrl-C stops it.\n\n`);
  for (const url of urls) {
    await write(stderr, '  ');
    await write(stdout, `${url}\n`);
  }
  await write(stderr, '\n');
}

const plainHttpWarning =
  'warning: Other machines can reach this server, and it speaks plain HTTP: tokens and results can be read on the way.\n  Put a proxy with TLS in front of it, or use an SSH tunnel, on networks that you do not trust.\n';

/** `assay serve`: the web pages and the API. */
export const serveCommand: CliCommand = {
  configure(command) {
    command
      .argument('[folder]', 'folder with projects, which the pages switch between; by default the current project')
      .option('-p, --port <n>', 'port (default: 7420 or the next free one)', integerOption(0, 65_535))
      .option(
        '--host <address>',
        'address to listen on; addresses other machines can reach need ASSAY_SERVE_TOKEN',
        textOption,
      )
      .option('--allow-host <names>', 'accept these `Host` values too, such as a proxy in front', listOption)
      .option('--open', 'open the pages in a browser')
      .option(...storeOption)
      .option('--json', 'print one JSON document with url, token and pid when it is ready')
      .addHelpText(
        'after',
        '\nServes the project of the current folder until Ctrl-C, which exits with 0. With a folder, serves every\nproject in it: folders with a config, and the projects of its evalstudio.config.json.\nThe printed URL contains a token, new at each start: anyone with this token has your full access.\n\nEnvironment:\n  ASSAY_SERVE_TOKEN    your own token, at least 24 characters\n  ASSAY_COLLECT_TOKEN  a token that only sends traces, logs and labels, to /v1/…\n',
      );
  },
  async run(invocation) {
    return serveProject(invocation);
  },
};
