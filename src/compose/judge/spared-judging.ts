import type { ExperimentPlan } from '../../domain/experiment.ts';
import type { EmbeddedTexts, Judging } from '../../score/judge/judge.ts';

/** Figures that Assay measures itself: no verdict changes them, only whether a trial counts. */
const isMeasured = (figure: string): boolean =>
  figure === 'cost-usd' || figure === 'duration-ms' || figure === 'tokens' || figure.startsWith('interaction.');

/**
 * The judge of a run, which is not prompted where no verdict can change the decision: in an experiment about a measured figure,
 * on trials that have a verdict without it.
 */
export function sparedJudging(judging: Judging, experiment: ExperimentPlan | undefined): Judging {
  if (experiment === undefined || !isMeasured(experiment.metric)) return judging;
  const embed = (...request: Parameters<Judging['embed']>): Promise<EmbeddedTexts> => judging.embed(...request);
  const errorsIn: Judging['errorsIn'] = (choice) => judging.errorsIn(choice);
  return {
    ask: (...question) => judging.ask(...question),
    embed,
    errorsIn,
    asksAlone: judging.asksAlone,
    deferred: judging.deferred,
    spared: {
      ask: async (judge) => {
        const { skippedAnswer } = await import('../../score/judge/prepare-judge.ts');
        return skippedAnswer(
          judge,
          `Skipped, because the experiment compares ${experiment.metric}, which no verdict changes.`,
        );
      },
      embed,
      errorsIn,
    },
  };
}
