import { Option } from 'commander';
import type { Experiment } from '../../../domain/experiment.ts';
import type { RunSummary } from '../../../domain/run.ts';
import { Threads } from '../../../drive/targets/call/threads.ts';
import { lastLooks } from '../../../report/presentation/experiment-text.ts';
import type { CliCommand } from '../command.ts';
import { addAgentOptions } from '../options/agents.ts';
import { addExperimentOptions, type ExperimentFlags, experimentQuestion } from '../options/experiment.ts';
import { addJudgeOptions } from '../options/judge.ts';
import { addPaceOptions, addReportOptions, addSelectionOptions } from '../options/run.ts';
import { textOption } from '../options/values.ts';

type FailOn = 'worse' | 'not-better';

/** `assay experiment`: runs variants in rounds until they can be distinguished. */
export const experiment: CliCommand = {
  configure(command) {
    addSelectionOptions(command);
    addExperimentOptions(command);
    command
      .addOption(new Option('--fail-on <answer>', 'exit 1 if any variant is').choices(['worse', 'not-better']))
      .option('--resume <run>', 'continue an interrupted experiment (its id, or `latest`)', textOption);
    addPaceOptions(command);
    addReportOptions(command);
    addAgentOptions(command);
    addJudgeOptions(command);
    command.addHelpText(
      'after',
      '\nExample:\n  assay experiment scenarios/ --by guidance --max-trials 400 --max-usd 5\n\nExit codes: 0 decided, 1 what --fail-on names, 2 a file or the request is wrong,\n3 not decided, or nothing could be compared, 130 interrupted.\n',
    );
  },
  async run(invocation) {
    const flags = invocation.options as ExperimentFlags & { readonly failOn?: FailOn };
    const question = experimentQuestion(flags);
    const { runScenarios } = await import('./run/run-scenarios.ts');
    const exitCode = (summary: RunSummary): number => exitCodeOf(summary, flags.failOn);
    return runScenarios(invocation, new Threads(), { question, exitCode });
  },
};

function exitCodeOf({ run }: RunSummary, failOn: FailOn | undefined): number {
  if (run.status === 'interrupted') return 130;
  if (!run.experiment) return 2;
  if (failOn && isFailed(run.experiment, failOn)) return 1;
  return run.experiment.ending === 'decided' ? 0 : 3;
}

function isFailed(found: Experiment, failOn: FailOn): boolean {
  const answers = lastLooks(found).map(({ answer }) => answer);
  return failOn === 'worse' ? answers.includes('worse') : !answers.every((answer) => answer === 'better');
}
