import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { AssayError } from '../../domain/errors.ts';
import { counted } from '../../shared/format.ts';

const megabyte = 2 ** 20;
/** Of the program alone. */
const programBytes = 40 * megabyte;
/** Comparing trials takes twice the memory again that what was read of them takes. */
const mostShare = 1 / 3;
const checkedEvery = 1_000;

/** Ends reading trials that will not fit into the heap: V8 would end the process, and not say what was too large. */
export async function* withinHeap<Item>(trials: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  let read = 0;
  for await (const trial of trials) {
    yield trial;
    read++;
    if (read % checkedEvery === 0) await requireRoom(read);
  }
}

async function requireRoom(read: number): Promise<void> {
  const limit = getHeapStatistics().heap_size_limit;
  const most = programBytes + mostShare * (limit - programBytes);
  if (usedBytes() <= most) return;
  // Most of it may be garbage that V8 had no reason to collect yet.
  await collectGarbage();
  if (usedBytes() <= most) return;
  const trials = counted(read, 'trial');
  throw new AssayError(
    'HEAP_TOO_SMALL',
    `The heap of ${inMegabytes(limit)} MB is too small: ${trials} filled a third of it.`,
    {
      hint: `Give Node.js more memory and try again: NODE_OPTIONS=--max-old-space-size=${4 * inMegabytes(limit)}.`,
    },
  );
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / megabyte);
}
