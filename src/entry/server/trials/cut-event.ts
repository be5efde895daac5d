import type { TraceEvent } from '../../../domain/trace.ts';

/** How much of an event is shown before somebody asks for all of it. */
export interface CutLimits {
  /** Characters of a text. */
  readonly text: number;
  /** Items of an array, and fields of an object. */
  readonly items: number;
}

/** An event with what is too long in it cut; the same event where nothing is. */
export function cutEvent(
  event: TraceEvent,
  limits: CutLimits,
): { readonly event: TraceEvent; readonly isCut: boolean } {
  const shown = cutValue(event, limits);
  return { event: shown as TraceEvent, isCut: shown !== event };
}

function cutValue(value: unknown, limits: CutLimits): unknown {
  if (typeof value === 'string') return cutText(value, limits.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cutArray(value, limits);
  const entries = Object.entries(value);
  const kept = entries.slice(0, limits.items).map(([key, inside]) => [key, cutValue(inside, limits)] as const);
  const isSame = kept.length === entries.length && kept.every(([key, shown], at) => entries[at]?.[1] === shown && key);
  return isSame ? value : Object.fromEntries(kept);
}

function cutArray(items: readonly unknown[], limits: CutLimits): readonly unknown[] {
  const kept = items.slice(0, limits.items).map((item) => cutValue(item, limits));
  return kept.length === items.length && kept.every((item, at) => item === items[at]) ? items : kept;
}

/** The beginning and the end of a text, with how much is missing between them. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)];
  const cut = (text.length - half * 2).toLocaleString('en');
  return `${head.replace(/[\uD800-\uDBFF]$/, '')}\n… ${cut} characters are not shown …\n${tail.replace(/^[\uDC00-\uDFFF]/, '')}`;
}
