import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Threads } from '../../../drive/targets/call/threads.ts';

const start = `
const { workerData } = require('node:worker_threads');
const { createJiti } = require(workerData.jiti);
void createJiti(workerData.worker).import(workerData.worker);
`;

/** Threads with the worker as it stands in the source: no build is needed. */
export class UncompiledThreads extends Threads {
  override start(): Worker {
    const jiti = createRequire(import.meta.url).resolve('jiti');
    const worker = fileURLToPath(new URL('../../../drive/targets/call/module-worker.ts', import.meta.url));
    return new Worker(start, { eval: true, workerData: { jiti, worker } });
  }
}
