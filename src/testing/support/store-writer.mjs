// Started several times at once by the store tests: writes its own run, and one that all share, in many small commits.
import { openStore } from '../../../dist/index.js';
import { finishedTrial, runHeader } from '../../../dist/testing.js';

const [url, writer, count, sharedCount] = process.argv.slice(2);
const store = await openStore(url, '.');
for (const [runId, trials] of Object.entries({ [`r-${writer}`]: count, 'r-shared': sharedCount })) {
  await store.createRun(runHeader(runId));
  for (let first = 0; first < Number(trials); first += 20) {
    await store.saveTrials(Array.from({ length: 20 }, (_, index) => finishedTrial(runId, first + index)));
  }
}
await store[Symbol.asyncDispose]();
