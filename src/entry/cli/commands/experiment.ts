import { Threads } from '../../../drive/targets/call/threads.ts';
import type { CliCommand } from '../command.ts';
import { addExperimentOptions, type ExperimentFlags } from '../options/experiment.ts';
import { addRunOptions } from '../options/run-options.ts';
import { experimentRun } from './run/experiment-run.ts';

/** `assay experiment`: runs variants in rounds until they can be distinguished. */
export const experiment: CliCommand = {
  configure(command) {
    addExperimentOptions(command.optionsGroup('Question:'));
    addRunOptions(command, 'experiment run');
    command.addHelpText(
      'after',
      '\nExample:\n  assay experiment scenarios/ --by guidance --max-trials 400 --max-usd 5\n\nExit codes: 0 decided, 1 what --fail-on names, 2 a file or the request is wrong,\n3 not decided, or nothing could be compared, 130 interrupted.\n',
    );
  },
  async run(invocation) {
    const experimental = await experimentRun(invocation.options as ExperimentFlags);
    const { runScenarios } = await import('./run/run-scenarios.ts');
    return runScenarios(invocation, new Threads(), experimental);
  },
};
