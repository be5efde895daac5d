import type { CliCommand } from '../command.ts';
import { storeOption } from '../open-project-store.ts';
import { integerOption, listOption, textOption } from '../option-values.ts';

/** `assay serve`: the web pages and the API. */
export const serve: CliCommand = {
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
    return (await import('../serve-project.ts')).serveProject(invocation);
  },
};
