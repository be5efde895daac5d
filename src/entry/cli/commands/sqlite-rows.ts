import type { CliCommand } from '../command.ts';

/** `assay sqlite-rows`: started by a trial to read a database that it can be stopped in. */
export const sqliteRowsCommand: CliCommand = {
  configure(command) {
    command.argument('<file>', 'database file').argument('[query]', 'by default all tables');
  },
  async run({ args: [file = '', query], context }) {
    const { sqliteRows } = await import('../../../drive/workspace/sqlite-rows.ts');
    try {
      context.stdout.write(JSON.stringify(sqliteRows(file, query)));
      return 0;
    } catch (error) {
      context.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      return 3;
    }
  },
};
