import type { Trace, TraceEvent } from '../../domain/trace.ts';
import { callsBehind } from '../../score/interaction/calls-behind.ts';
import { isOfKinds, readSearch } from './trace-search.ts';

/** Neighbouring events of a trace. */
interface TracePage {
  total: number;
  from: number;
  events: {
    index: number;
    event: TraceEvent;
    /** Whether long texts were cut. */
    isCut: boolean;
    /** Index of the agent's call that made it; null: none, or not known. */
    madeBy: number | null;
  }[];
}

/** How much of an event is shown before the whole event is requested. */
interface CutLimits {
  /** Characters of a text. */
  readonly text: number;
  /** Items of an array, and fields of an object. */
  readonly items: number;
}

/** An event with what is too long in it cut; the same event where nothing is. */
function cutEvent(event: TraceEvent, limits: CutLimits): { readonly event: TraceEvent; readonly isCut: boolean } {
  const cut = cutValue(event, limits);
  return { event: cut as TraceEvent, isCut: cut !== event };
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
  const callOf = knownCalls(trace);
  const events = cut.map((shown, offset) => {
    const index = from + offset;
    return { index, ...shown, madeBy: callOf.get(index) ?? null };
  });
  return { total: trace.length, from, events };
}

/** Of traces that are looked at: a page needs the whole trace to know which call made an event. */
const callsOfTraces = new WeakMap<Trace, ReadonlyMap<number, number>>();

function knownCalls(trace: Trace): ReadonlyMap<number, number> {
  const calls = callsOfTraces.get(trace) ?? callsBehind(trace);
  callsOfTraces.set(trace, calls);
  return calls;
}

const mostIndices = 10_000;

interface Wanted {
  readonly text?: string | undefined;
  readonly type?: string | undefined;
}

/**
 * Which events are of a type and hold a text, whatever its case; names of fields are not text. `kind:edit` in the text
 * stands for actions of that kind.
 */
export function searchTrace(trace: Trace, { text = '', type }: Wanted): { indices: number[]; isComplete: boolean } {
  const search = readSearch(text);
  const wanted = search.text;
  const indices: number[] = [];
  for (const [index, event] of trace.entries()) {
    if (type !== undefined && event.type !== type) continue;
    if (!isOfKinds(event, search)) continue;
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
