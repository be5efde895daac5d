import { AssayError } from '../../domain/errors.ts';
import type { Feature } from '../../engine/feature.ts';
import { counted } from '../../shared/format.ts';

/** `assay experiment`: the variants run in rounds until they can be distinguished. */
export const experiment: Feature = {
  name: 'experiment',
  async plan(planned, { options, resumed, warn }) {
    const wish = resumed === undefined ? options.experiment : undefined;
    const isExperiment = planned.request.experiment !== undefined;
    if (resumed !== undefined && options.resumesExperiment && !isExperiment) throw notExperiment(resumed);
    if (isExperiment && options.distributed) throw notForWorkers();
    if (!wish && !isExperiment) return planned;
    const { planExperiment, questionOf, withRounds } = await import('./plan-experiment.ts');
    if (!wish) return { ...planned, scenarios: withRounds(planned.scenarios, planned.request) };
    const question = { ...questionOf(wish, options.maxUsd), errorRate: options.errorRate };
    const { plan, leftOut } = await planExperiment(question, planned.scenarios);
    if (leftOut > 0) warn(`${counted(leftOut, 'case')} left out: not tried under the reference and another variant.`);
    const request = { ...planned.request, experiment: plan };
    return { scenarios: withRounds(planned.scenarios, request), request };
  },
  async outline(wish, scenarios) {
    const { outlineExperiment } = await import('./outline-experiment.ts');
    return outlineExperiment(wish, scenarios);
  },
  async open({ header, scenarios, store, emit }) {
    const { experiment: plan } = header.request;
    if (!plan) return undefined;
    const { ExperimentRounds } = await import('./experiment-rounds.ts');
    return ExperimentRounds.open({ header, plan, scenarios, store, emit });
  },
};

function notExperiment(runId: string): AssayError {
  return new AssayError('USAGE', `${runId} is not an experiment.`, {
    hint: `Continue it with \`assay run --resume ${runId}\`.`,
  });
}

/** Workers get all trials of a run at once, and a round depends on the trials before it. */
function notForWorkers(): AssayError {
  return new AssayError('USAGE', 'An experiment cannot be distributed: each round depends on the results before it.', {
    hint: 'Run it in one process, without --distributed; --concurrency sets how many trials run at the same time.',
  });
}
