import type { CliCommand } from '../command.ts';
import { textOption } from '../option-values.ts';
import { addScoringOptions } from '../scoring.ts';

/** `assay evaluate`: a recorded trace or transcript, scored by a scenario. */
export const evaluate: CliCommand = {
  configure(command) {
    command
      .argument('<trace>', 'a file (or a folder of files) in any format that `assay import` reads')
      .requiredOption('-s, --scenario <file>', 'the scenario file that says how the trace is judged', textOption)
      .option('--name <scenario>', 'the scenario that is meant, where the file has several', textOption)
      .option('--case <id>', 'the case that the trace is about, where the scenario has several', textOption)
      .option('-f, --format <name>', 'how the file is read; by default it is recognised', textOption);
    addScoringOptions(command);
    command.addHelpText('after', '\nNothing is run. Exit codes: those of `assay run`.\n');
  },
  run: async (invocation) => (await import('../evaluate-trace.ts')).evaluateRecorded(invocation),
};
