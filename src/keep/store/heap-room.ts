import { Session } from 'node:inspector';
import { getHeapStatistics, type HeapInfo } from 'node:v8';
import { AssayError } from '../../domain/errors.ts';
import { counted } from '../../shared/format.ts';

const megabyte = 2 ** 20;
/** Of the program alone. */
const programBytes = 40 * megabyte;
/** Beside the program, also in a heap that has hardly room for it. */
const leastBytes = 16 * megabyte;
/** The rest is for writing the result: the document as text takes as much again as its parts, and is copied once. */
const mostShare = 1 / 3;
const checkedEvery = 100;
/** Of young objects, which V8 counts into the limit, and in which nothing that lasts can be kept. */
const youngBytes = 48 * megabyte;

/** Ends reading trials before they fill the heap: V8 would end the process, and not say what was too large. */
export async function* withinHeap<Item>(trials: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  let count = 0;
  for await (const trial of trials) {
    yield trial;
    count++;
    if (count % checkedEvery === 0) assertRoom(count);
  }
}

function assertRoom(count: number): void {
  if (!isFull()) return;
  // Most of it may be garbage that V8 had no reason to collect yet.
  collectGarbage();
  if (!isFull()) return;
  const limit = inMegabytes(roomOf(getHeapStatistics()));
  throw new AssayError(
    'HEAP_TOO_SMALL',
    `The heap of ${limit} MB is too small: ${counted(count, 'trial')} filled a third of it.`,
    { hint: `Give Node.js more memory and try again: NODE_OPTIONS=--max-old-space-size=${4 * limit}.` },
  );
}

function isFull(): boolean {
  const statistics = getHeapStatistics();
  const room = roomOf(statistics);
  const ofProgram = Math.min(programBytes, room - leastBytes);
  return statistics.used_heap_size > ofProgram + mostShare * (room - ofProgram);
}

function roomOf({ heap_size_limit: limit }: HeapInfo): number {
  return limit - youngBytes;
}

/** A session in the same thread answers before `post` returns. */
function collectGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / megabyte);
}
