import type { ExperimentQuestion } from '../../../../compose/experiment/plan-experiment.ts';
import { AssayError } from '../../../../domain/errors.ts';
import type { Experiment } from '../../../../domain/experiment.ts';
import type { RunSummary } from '../../../../domain/run.ts';
import { lastLooks } from '../../../../report/presentation/experiment-text.ts';
import type { ExperimentFlags } from '../../options/experiment.ts';

/** A run that is made to answer a question. */
export interface ExperimentRun {
  readonly question: ExperimentQuestion | 'stored';
  exitCode(summary: RunSummary): number;
}

/** The experiment of the flags, with its own exit codes. */
export async function experimentRun(flags: ExperimentFlags): Promise<ExperimentRun> {
  const { experimentQuestion } = await import('./experiment-question.ts');
  if (flags.distributed) throw (await import('../../../../compose/experiment/plan-experiment.ts')).notForWorkers();
  return { question: experimentQuestion(flags), exitCode: (summary) => experimentExitCode(summary, flags.failOn) };
}

/** Flags of `assay run` that mean nothing in an experiment. */
interface RunFlags extends ExperimentFlags {
  readonly repeat?: number;
  readonly baseline?: string;
  readonly minPassRate?: number;
  readonly batch?: boolean;
}

/** The experiment of `assay run --until`; undefined for other runs. */
export async function experimentOfRun(flags: RunFlags): Promise<ExperimentRun | undefined> {
  if (flags.until !== undefined) {
    const { repeat, baseline, minPassRate, batch } = flags;
    refuse(
      { '--repeat': repeat, '--baseline': baseline, '--min-pass-rate': minPassRate, '--batch': batch },
      (flag) => ({
        message: `${flag} cannot be combined with --until.`,
        hint: flag === '--repeat' ? 'Set --max-trials instead.' : 'Remove one of them.',
      }),
    );
    return experimentRun(flags);
  }
  const { by, reference, maxTrials, failOn, metric, smallest, higherIsBetter, lowerIsBetter } = flags;
  const figures = {
    '--metric': metric,
    '--smallest': smallest,
    '--higher-is-better': higherIsBetter,
    '--lower-is-better': lowerIsBetter,
  };
  const own = { '--by': by, '--reference': reference, '--max-trials': maxTrials, '--fail-on': failOn, ...figures };
  refuse(own, (flag) => ({ message: `${flag} requires --until decided.`, hint: 'See `assay experiment --help`.' }));
  return undefined;
}

function refuse(
  flags: Readonly<Record<string, unknown>>,
  reason: (flag: string) => { readonly message: string; readonly hint: string },
): void {
  const flag = Object.entries(flags).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  const { message, hint } = reason(flag);
  throw new AssayError('USAGE', message, { hint });
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
