import type { CliCommand } from '../command.ts';
import { textOption } from '../option-values.ts';
import { addScoringOptions } from '../scoring.ts';

/** `assay rescore`: the stored traces of a run, scored by the scenario files and evaluators of today. */
export const rescore: CliCommand = {
  configure(command) {
    command
      .argument('<run>', 'id of a run (or the beginning of one), or `latest`')
      .argument('[paths...]', 'scenario files or folders; by default those of the run')
      .option('-s, --scenario <name>', 'only the trials of the scenario with this name', textOption);
    addScoringOptions(command);
    command.addHelpText(
      'after',
      '\nNothing is run: targets and agents are not started. The result is a new run that names the old one.\nExit codes: those of `assay run`; a trial whose scenario or case is gone is skipped, which gives 3.\n',
    );
  },
  run: async (invocation) => (await import('../rescore-run.ts')).rescoreRun(invocation),
};
