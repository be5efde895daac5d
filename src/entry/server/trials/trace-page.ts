import { AssayError } from '../../../domain/errors.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { TracePage, WholeEvent } from '../api/trials.ts';
import { cutEvent } from './cut-event.ts';
import { traceWeight } from './trace-weight.ts';

/** From what is usually shown to what is shown where every event is huge. */
const limits = [
  { text: 20_000, items: 1_000 },
  { text: 4_000, items: 200 },
  { text: 500, items: 20 },
] as const;
const mostCharacters = 2_000_000;

/** Neighbouring events of a trace, cut until the page is small enough to be shown at once. */
export function tracePage(trace: Trace, from: number, limit: number): TracePage {
  const found = trace.slice(from, from + limit);
  let cut: ReturnType<typeof cutEvent>[] = [];
  for (const each of limits) {
    cut = found.map((event) => cutEvent(event, each));
    if (traceWeight(cut.map(({ event }) => event)) <= mostCharacters) break;
  }
  return { total: trace.length, from, events: cut.map((shown, offset) => ({ index: from + offset, ...shown })) };
}

/** One event in full. */
export function wholeEvent(trace: Trace, index: number): WholeEvent {
  const event = trace[index];
  if (event) return { index, event };
  throw new AssayError('NOT_FOUND', `The trace has no event ${index}.`, {
    hint: `It has ${trace.length}, counted from 0.`,
  });
}
