import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { SideSource } from './side-collector.ts';

/** The trials of a stored run. */
export function storedSource(run: RunHeader, store: Store): SideSource {
  const { runId, startedAt, status, planned, assayVersion, scenarios, request } = run;
  return {
    label: runId,
    run: {
      runId,
      startedAt,
      status,
      planned,
      assayVersion,
      scenarios,
      origin: request.origin,
      ...(run.experiment && { looks: run.experiment.looks.map(({ trials }) => trials), isExperiment: true }),
      ...(run.earlyLooks && { looks: run.earlyLooks }),
    },
    trials: eachTrial(store, runId),
    readTrace: (trialId) => store.readTrace(trialId),
  };
}
