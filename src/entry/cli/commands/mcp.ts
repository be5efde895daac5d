import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { Interrupt } from '../interrupt.ts';
import { storeOption } from '../open-project-store.ts';
import { ReservedStdout } from '../reserved-stdout.ts';

/** `assay mcp`: Assay as an MCP server, so that a coding agent can run evaluations. */
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
      await write(context.stderr, 'Speaking MCP on stdin and stdout; `assay help mcp` tells how clients start it.\n');
    const { serveAssay } = await import('../../mcp-server/serve.ts');
    await serveAssay({
      stdin: context.stdin,
      stdout: output.writer,
      folder: context.cwd,
      env: context.env,
      storeUrl: options.store as string | undefined,
      signal: interrupt.signal,
      tell: (message) => context.stderr.write(`${message}\n`),
    });
    return 0;
  },
};
