import type { CliCommand } from '../command.ts';

/** `assay store`: what is done with a whole store. */
export const store: CliCommand = {
  configure(command) {
    command
      .argument('<copy|check>', '`copy` copies all runs into another store, `check` reads everything in a store')
      .argument('[store]', 'the store to read; by default the one of the project')
      .argument('[to]', 'copy: the store to write')
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        `
Examples:
  assay store copy sqlite:.assay/assay.db postgres://user:password@host/assay
  assay store copy postgres://user:password@host/assay sqlite:copy.db
  assay store check

A copy leaves alone what is there already, so that it can be started again when it was interrupted; at the end both
stores are read and compared.
Exit codes: 0 all is well, 1 something is damaged or different, 2 wrong usage, 3 a store cannot be read or written.
`,
      );
  },
  async run(invocation) {
    return (await import('../store-actions.ts')).storeAction(invocation);
  },
};
