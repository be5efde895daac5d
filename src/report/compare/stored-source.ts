import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import { withinHeap } from '../../keep/store/heap-room.ts';
import { type CaseOfScenario, eachTrial, type Store } from '../../keep/store/store.ts';
import type { SideSource } from './side-collector.ts';

/** With more of them the whole run is read. */
const mostCases = 1_000;

/**
 * The only cases of a run that can have a partner in the run that it is compared with, where that ran only some cases
 * again; undefined where all can have one.
 */
export function casesWithPartner(run: RunHeader, comparedWith: RunHeader): readonly CaseOfScenario[] | undefined {
  const again = comparedWith.request.only?.cases;
  return run.request.only === undefined && again && again.length <= mostCases ? again : undefined;
}

/** The trials of a stored run; those that cannot have a partner in the run that it is compared with are not read. */
export function storedSource(run: RunHeader, store: Store, comparedWith?: RunHeader): SideSource {
  const { runId, startedAt, status, planned, assayVersion, scenarios, request } = run;
  const cases = comparedWith && casesWithPartner(run, comparedWith);
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
    trials: withinHeap(countedTrials(store, runId, cases)),
    readTrace: (trialId) => store.readTrace(trialId),
  };
}

/** Reading the counts compares them with the trials: one that the store has lost is not one that did not run. */
async function* countedTrials(
  store: Store,
  runId: string,
  cases: readonly CaseOfScenario[] | undefined,
): AsyncGenerator<TrialRecord, void> {
  await store.countTrials(runId);
  yield* eachTrial(store, runId, undefined, cases);
}
