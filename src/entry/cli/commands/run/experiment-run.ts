import type { Experiment, ExperimentWish } from '../../../../domain/experiment.ts';
import type { RunSummary } from '../../../../domain/run.ts';
import { lastLooks } from '../../../../report/compare/experiment-rounds.ts';
import type { ExperimentFlags } from '../../options/experiment.ts';

/** A run that is made to answer a question. */
export interface ExperimentRun {
  /** Undefined where an earlier experiment is resumed, which has its question. */
  readonly wish: ExperimentWish | undefined;
  exitCode(summary: RunSummary): number;
}

/** The experiment of the flags, with its own exit codes. */
export async function experimentRun(flags: ExperimentFlags): Promise<ExperimentRun> {
  const { experimentWish } = await import('./experiment-question.ts');
  return { wish: experimentWish(flags), exitCode: (summary) => experimentExitCode(summary, flags.failOn) };
}

/** 0 where an experiment is decided and nothing that `--fail-on` names was found. */
export function experimentExitCode({ run }: RunSummary, failOn?: ExperimentFlags['failOn']): number {
  if (run.status === 'interrupted') return 130;
  if (!run.experiment) return 2;
  if (failOn && isFailed(run.experiment, failOn)) return 1;
  return run.experiment.ending === 'decided' ? 0 : 3;
}

function isFailed(found: Experiment, failOn: 'worse' | 'not-better'): boolean {
  const answers = lastLooks(found).map(({ answer }) => answer);
  return failOn === 'worse' ? answers.includes('worse') : !answers.every((answer) => answer === 'better');
}
