import { parentPort, workerData } from 'node:worker_threads';
import { refusalOf } from '../refusal.ts';
import { doTask, type HeavyTask } from './heavy-task.ts';
import type { TaskAnswer } from './heavy-work.ts';

/** First code of a thread: does one task, and sends its result or the refusal. */
async function answer(): Promise<TaskAnswer> {
  try {
    return { result: await doTask(workerData as HeavyTask) };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

/** Settled when the answer was sent. */
export const isAnswered = answer().then((sent) => parentPort?.postMessage(sent));
