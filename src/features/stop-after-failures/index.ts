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

async function stopping(limit: number, { header: { runId }, store, role }: RunPlace): Promise<RunFeature> {
  const storedFailures = async (): Promise<number> => (await store.countTrials(runId)).fail;
  let failures = await storedFailures();
  return {
    async stopped() {
      if (role !== 'alone') failures = await storedFailures();
      return failures < limit ? undefined : `${failures} failed, and --stop-after-failures is ${limit}`;
    },
    async around(_trial, perform) {
      const finished = await perform();
      if (finished?.record.outcome === 'fail') failures++;
      return finished;
    },
  };
}
