import type { CliCommand } from '../command.ts';
import { addFigureOptions } from '../figure-options.ts';
import { storeOption } from '../open-project-store.ts';
import { shareOption, textOption } from '../option-values.ts';

/** `assay baseline`: what later runs are held against. */
export const baseline: CliCommand = {
  configure(command) {
    command
      .argument('<set|check>', '`set` keeps a run as the baseline, `check` holds a run against it')
      .argument('[run]', 'a run id or the beginning of one, `latest~1`, or a file of `assay run --json`', 'latest')
      .option('--name <name>', 'of the baseline', textOption, 'default')
      .option('--max-cost-rise <share>', 'check: how much dearer a trial may be, such as 20%', shareOption)
      .option(
        '--any-break',
        'check: a check that broke counts, however few trials show it (tools that always do the same)',
      )
      .option('--force', 'check: in spite of changed scenarios, judges or agents');
    addFigureOptions(command);
    command
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nThe baseline is kept in assay.baseline.json (with a name: assay.baseline.<name>.json), to be checked in.\nExit codes of check: 0 nothing got worse, 1 a regression, 2 not comparable,\n3 nothing could be compared.\n',
      );
  },
  async run(invocation) {
    return (await import('../baseline-actions.ts')).baselineAction(invocation);
  },
};
