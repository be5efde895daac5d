// Started several times at once by the store tests: writes its own run, and one that all share, in many small commits.
import { openStore } from '../../dist/index.js';
import { finishedTrial, runHeader } from '../../dist/testing.js';

const [url, writer, count] = process.argv.slice(2);
const store = await openStore(url, '.');
for (const runId of [`r-${writer}`, 'r-shared']) {
  await store.createRun(runHeader(runId));
  for (let first = 0; first < Number(count); first += 20) {
    await store.saveTrials(Array.from({ length: 20 }, (_, index) => finishedTrial(runId, first + index)));
  }
}
await store[Symbol.asyncDispose]();
