import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { SideSource } from './side-collector.ts';

/** With more of them the whole run is read. */
const mostCases = 1_000;

/**
 * The trials of a stored run. Of the run that it is compared with, where that ran only some cases again, no other case can
 * have a partner: the trials of those are not read.
 */
export function storedSource(run: RunHeader, store: Store, comparedWith?: RunHeader): SideSource {
  const { runId, startedAt, status, planned, assayVersion, scenarios, request } = run;
  const again = comparedWith?.request.only?.cases;
  const cases = request.only === undefined && again && again.length <= mostCases ? again : undefined;
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
      ...(cases && { isPart: true }),
      ...(run.experiment && { looks: run.experiment.looks.map(({ trials }) => trials), isExperiment: true }),
      ...(run.earlyLooks && { looks: run.earlyLooks }),
    },
    trials: eachTrial(store, runId, undefined, cases),
    readTrace: (trialId) => store.readTrace(trialId),
  };
}
