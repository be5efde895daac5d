import { hostTerminal } from '../../../drive/workspace/terminal-host.ts';
import type { CliCommand } from '../command.ts';

/** `assay terminal-host`: started by a trial to run its agent in a terminal. */
export const terminalHost: CliCommand = {
  configure(command) {
    command
      .argument('<command...>', 'program and arguments')
      .option('--node-options <options>', 'NODE_OPTIONS of the program');
  },
  run: ({ args, options, context }) => {
    const { nodeOptions } = options as { readonly nodeOptions?: string };
    const env = nodeOptions === undefined ? context.env : { ...context.env, NODE_OPTIONS: nodeOptions };
    return hostTerminal(args, { ...context, env, stdin: context.stdin });
  },
};
