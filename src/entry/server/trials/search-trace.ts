import type { Trace } from '../../../domain/trace.ts';
import type { TraceSearch } from '../api/trials.ts';

const mostIndices = 10_000;

interface Wanted {
  readonly text?: string | undefined;
  readonly type?: string | undefined;
}

/** Which events are of a type and hold a text, whatever its case; names of fields are no text. */
export function searchTrace(trace: Trace, { text = '', type }: Wanted): TraceSearch {
  const wanted = text.toLowerCase();
  const indices: number[] = [];
  for (const [index, event] of trace.entries()) {
    if (type !== undefined && event.type !== type) continue;
    if (wanted !== '' && !holds(event, wanted)) continue;
    if (indices.length === mostIndices) return { indices, isComplete: false };
    indices.push(index);
  }
  return { indices, isComplete: true };
}

function holds(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted);
  if (typeof value === 'number') return String(value) === wanted;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inside) => holds(inside, wanted));
}
