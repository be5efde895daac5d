import { Option } from 'commander';
import { variantSchema } from '../../../domain/trial.ts';
import type { CliCommand } from '../command.ts';
import { storeOption } from '../open-project-store.ts';
import { textOption } from '../option-values.ts';

/** `assay diff`: what was done differently in two trials, or usually is in two runs or variants. */
export const diff: CliCommand = {
  configure(command) {
    command
      .argument('<a>', 'a trial, or a run: an id, the beginning of one, `latest` or `latest~1`')
      .argument('[b]', 'another trial or run; left out with --by')
      .option('--scenario <name>', 'of runs: the scenario whose trials are looked at', textOption)
      .option('--case <id>', 'of runs: only this case of the scenario', textOption)
      .addOption(
        new Option('--by <part>', 'of runs: two variants by this part').choices(Object.keys(variantSchema.shape)),
      )
      .option('--a <variant>', 'with --by: what was', textOption)
      .option('--b <variant>', 'with --by: what is new', textOption)
      .option('--all', 'show also what is the same, in full')
      .addOption(new Option('--format <name>', 'how it is written').choices(['console', 'markdown', 'json']))
      .option(...storeOption)
      .option('--json', 'print one JSON document (assay.diff/1)')
      .addHelpText(
        'after',
        '\nExamples:\n  assay diff t-0f3a t-91bc\n  assay diff latest~1 latest --scenario "Search orders"\n  assay diff latest --by guidance --a v1 --b v2\n',
      );
  },
  async run(invocation) {
    return (await import('../diff-stored.ts')).diffStored(invocation);
  },
};
