import { Writable } from 'node:stream';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { Interrupt } from '../process.ts';
import { storeOption } from '../project-store.ts';

/** Keeps stdout for one writer: what anything else in the process prints there goes to stderr. */
class ReservedStdout implements Disposable {
  /** Whatever is written to it goes to stdout. */
  readonly writer: Writable;
  readonly #restore: () => void;

  constructor({ stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>) {
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

/** `assay mcp`: Assay as an MCP server, for coding agents that run evaluations. */
export const mcp: CliCommand = {
  configure(command) {
    command
      .option(...storeOption)
      .addHelpText(
        'after',
        '\nSpeaks MCP on stdin and stdout and works in the current folder. Let an MCP client start it:\n  claude mcp add assay -- assay mcp\n',
      );
  },
  async run({ options, context }) {
    using interrupt = new Interrupt(() => undefined);
    using output = new ReservedStdout(context);
    if (context.stdin.isTTY)
      await write(
        context.stderr,
        'Speaking MCP on stdin and stdout. Run `assay help mcp` to see how clients start it.\n',
      );
    const { serveAssay } = await import('../../mcp-server/serve.ts');
    await serveAssay({
      stdin: context.stdin,
      stdout: output.writer,
      folder: context.cwd,
      env: context.env,
      storeUrl: options.store as string | undefined,
      signal: interrupt.signal,
      log: (message) => context.stderr.write(`${message}\n`),
    });
    return 0;
  },
};
