// Started several times at once by the store tests: writes its own run in many small commits.
import { openStore } from '../../dist/index.js';
import { finishedTrial, runHeader } from '../../dist/testing.js';

const [folder, writer, count] = process.argv.slice(2);
const runId = `r-${writer}`;
const store = await openStore('sqlite:assay.db', folder);
await store.createRun(runHeader(runId));
for (let first = 0; first < Number(count); first += 20) {
  await store.saveTrials(Array.from({ length: 20 }, (_, index) => finishedTrial(runId, first + index)));
}
await store[Symbol.asyncDispose]();
