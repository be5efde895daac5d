import type { Trace } from '../../../domain/trace.ts';

/** About how many characters a trace holds, without writing it down. */
export function traceWeight(trace: Trace): number {
  return weightOf(trace);
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  let weight = 32;
  for (const inside of Object.values(value)) weight += weightOf(inside) + 16;
  return weight;
}
