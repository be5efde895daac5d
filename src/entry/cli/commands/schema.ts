import { fileJsonSchema, fileSchemaNames } from '../../../compose/config/file-schemas.ts';
import { AssayError } from '../../../domain/errors.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay schema`: JSON Schemas for editors. */
export const schema: CliCommand = {
  configure(command) {
    command.argument('[file]', 'scenario, cli-tool, conversation, mcp-server, config or judge', 'scenario');
  },
  async run({ args, context }) {
    const requested = args[0] ?? 'scenario';
    const name = fileSchemaNames.find((each) => each === requested);
    if (name === undefined)
      throw new AssayError('USAGE', `Unknown schema "${requested}".`, { hint: suggestion(requested, fileSchemaNames) });
    await write(context.stdout, `${JSON.stringify(fileJsonSchema(name), null, 2)}\n`);
    return 0;
  },
};
