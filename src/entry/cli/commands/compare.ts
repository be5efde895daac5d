import { Option } from 'commander';
import type { CliCommand } from '../command.ts';
import { addFigureOptions } from '../figure-options.ts';
import { storeOption } from '../open-project-store.ts';
import { listOption, numberOption, textOption } from '../option-values.ts';

/** `assay compare`: is B better than A? */
export const compare: CliCommand = {
  configure(command) {
    command
      .argument(
        '<a>',
        'the run from before: an id or the beginning of one, `latest`, `latest~1`, a baseline, or a file',
      )
      .argument('[b]', 'the run from after, in the same terms; left out with --by')
      .addOption(
        new Option('--by <part>', 'compare the variants of one run by this part').choices([
          'guidance',
          'agent',
          'model',
          'description',
          'connector',
          'persona',
        ]),
      )
      .option('--a <variant>', 'with --by: what was', textOption)
      .option('--b <variant>', 'with --by: what is new', textOption);
    addFigureOptions(command);
    command
      .option('--judge', 'let a judge compare the answers of each case, in both orders')
      .option('--judge-model <models>', 'with --judge: judge model, as provider/model', listOption)
      .option(
        '--max-usd <x>',
        'with --judge: spending limit in USD; model calls that could exceed it are refused',
        numberOption(0, 1_000_000),
      )
      .option('--force', 'compare what is not comparable; the figures come with the warning')
      .addOption(
        new Option('--fail-on <answer>', 'exit with 1 when the pass rate, or a figure of --metric, is').choices([
          'worse',
          'not-better',
          'changed',
        ]),
      )
      .option('--format <names>', 'console, markdown, json, html', listOption)
      .option('-o, --output <dir>', 'folder for the files', textOption)
      .option(...storeOption)
      .option('--json', 'print one JSON document (assay.compare/1)')
      .addHelpText(
        'after',
        '\nExit codes: 0 compared, 1 what --fail-on names, 2 not comparable or wrong request,\n3 nothing on both sides that could be compared, or --judge could judge no case.\n',
      );
  },
  async run(invocation) {
    return (await import('../compare-runs.ts')).compareRuns(invocation);
  },
};
