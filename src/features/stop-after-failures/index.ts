import type { Feature, RunPlace } from '../../engine/feature.ts';
import type { RunFeature } from '../../engine/run-feature.ts';

/**
 * `--stop-after-failures`: a run whose tool is broken need not be paid for to its end. Failures are those in the store, so
 * workers and a resumed run go on with the same number; an error is not a failure.
 */
export const stopAfterFailures: Feature = {
  name: 'stop-after-failures',
  async open(place) {
    const limit = place.header.request.stopAfterFailures;
    return limit === undefined ? undefined : stopping(limit, place);
  },
};

async function stopping(limit: number, { header: { runId }, store, role, emit }: RunPlace): Promise<RunFeature> {
  const storedFailures = async (): Promise<number> => (await store.countTrials(runId)).fail;
  let failures = await storedFailures();
  let isReported = false;
  return {
    async mayGoOn() {
      if (role !== 'alone') failures = await storedFailures();
      if (failures < limit) return true;
      const message = `No further trial begins: ${failures} failed, and --stop-after-failures is ${limit}.`;
      if (!isReported) emit({ type: 'warning', message });
      isReported = true;
      return false;
    },
    async around(_trial, perform) {
      const finished = await perform();
      if (finished?.record.outcome === 'fail') failures++;
      return finished;
    },
  };
}
