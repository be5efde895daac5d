import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../keep/store/store.ts';
import { describeRetriedTrials, describeRunClaims, describeRunControls, describeWaitingTrials } from './run-claims.ts';
import { describeRunLabels, describeRunList, describeRunsOfScenario } from './run-list.ts';
import { describeRunPins, describeRuns } from './runs.ts';
import { describeTokenSums } from './token-sums.ts';
import { describeFigures, describeTotals } from './totals.ts';
import { describeTrialList } from './trial-list.ts';
import { describeReadCases, describeReadTrials, describeSavedTrials } from './trials.ts';

const suites = [
  describeRuns,
  describeRunPins,
  describeRunList,
  describeRunLabels,
  describeRunsOfScenario,
  describeRunClaims,
  describeSavedTrials,
  describeReadTrials,
  describeReadCases,
  describeTrialList,
  describeRetriedTrials,
  describeRunControls,
  describeWaitingTrials,
  describeTotals,
  describeFigures,
  describeTokenSums,
];

/** Behaviour of every store. `open` gives a new and empty one. */
export function describeStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });
    for (const suite of suites) suite(() => store);
  });
}
