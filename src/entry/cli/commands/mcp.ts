import { Writable } from 'node:stream';
import { AssayError } from '../../../domain/errors.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { tokenFor } from '../options/serve-token.ts';
import { integerOption, listOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { storeOption } from '../project-store.ts';
import { behindBorder } from '../terminal-border.ts';

/** Keeps stdout for one writer: what anything else in the process prints there goes to stderr. */
class ReservedStdout implements Disposable {
  /** Whatever is written to it goes to stdout. */
  readonly writer: Writable;
  readonly #restore: () => void;

  constructor({ stdout: bordered, stderr }: Pick<CliContext, 'stdout' | 'stderr'>) {
    const stdout = behindBorder(bordered);
    const own = stdout.write;
    this.writer = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        own.call(stdout, chunk, undefined, done);
      },
    });
    stdout.write = stderr.write.bind(stderr) as typeof own;
    this.#restore = () => {
      stdout.write = own;
    };
  }

  [Symbol.dispose](): void {
    this.#restore();
  }
}

interface McpFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly store?: string;
  readonly json?: boolean;
}

interface Served {
  readonly folder: string;
  readonly env: CliContext['env'];
  readonly storeUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

async function overStdio(served: Served, stdout: Writable, { stdin, stderr }: CliContext): Promise<void> {
  if (stdin.isTTY)
    await write(
      stderr,
      'Speaking MCP on stdin and stdout. Run `assay mcp serve --help` to see how clients start it.\n',
    );
  const { serveOverStdio } = await import('../../mcp-server/serve-stdio.ts');
  await serveOverStdio({ ...served, stdin, stdout });
}

async function overHttp(served: Served, port: number, flags: McpFlags, out: Writable, context: CliContext) {
  const { host = '127.0.0.1', allowHost, json } = flags;
  const token = tokenFor(host, context);
  const { serveOverHttp } = await import('../../mcp-server/serve-http.ts');
  await serveOverHttp({
    ...served,
    host,
    port,
    allowHosts: allowHost,
    token,
    async onReady(address) {
      if (json) return write(out, `${JSON.stringify({ ...address, pid: process.pid })}\n`);
      await write(context.stderr, '\n  Assay is running as an MCP server. Ctrl-C stops it.\n\n');
      await write(out, `${address.url}\nAuthorization: Bearer ${address.token}\n`);
      await write(context.stderr, '\n');
    },
  });
}

/** `assay mcp`: Assay as an MCP server, for coding agents that run evaluations. */
export const mcp: CliCommand = {
  configure(command) {
    command
      .option(
        '-p, --port <n>',
        'serve streamable HTTP on this port instead; 0 takes a free one',
        integerOption(0, 65_535),
      )
      .option(
        '--host <address>',
        'with --port: address to listen on; addresses other machines can reach need ASSAY_SERVE_TOKEN',
        textOption,
      )
      .option(
        '--allow-host <names>',
        'with --port: accept these `Host` values too, such as a proxy in front',
        listOption,
      )
      .option(...storeOption)
      .option('--json', 'with --port: print one JSON document with url, token and pid when it is ready')
      .addHelpText(
        'after',
        '\nSpeaks MCP on stdin and stdout and works in the current folder. Let an MCP client start it:\n  claude mcp add assay -- assay mcp\n\nWith --port it serves HTTP at /mcp until Ctrl-C, which exits with 0. Clients send the printed token, new at each\nstart, as `Authorization: Bearer <token>`, or use the address /mcp/<token>: anyone with it can run your project.\n\nEnvironment:\n  ASSAY_SERVE_TOKEN   your own token, at least 24 characters\n',
      );
  },
  async run({ options, context }) {
    const flags = options as McpFlags;
    const { port, store } = flags;
    if (port === undefined && (flags.host ?? flags.allowHost ?? flags.json) !== undefined) {
      throw new AssayError('USAGE', '--host, --allow-host and --json need --port.', {
        hint: 'Add --port <n> to serve HTTP.',
      });
    }
    using interrupt = new Interrupt(() => undefined);
    using output = new ReservedStdout(context);
    const served: Served = {
      folder: context.cwd,
      env: context.env,
      storeUrl: store,
      signal: interrupt.signal,
      log: (message) => context.stderr.write(`${message}\n`),
    };
    if (port === undefined) await overStdio(served, output.writer, context);
    else await overHttp(served, port, flags, output.writer, context);
    return 0;
  },
};
