import { actionKindOf } from '../../domain/tools/action-kind.ts';
import type { TraceEvent } from '../../domain/trace.ts';

/** A search in a trace: a text, and kinds of actions that are written as `kind:edit`. */
export interface WrittenSearch {
  readonly kinds: readonly string[];
  /** In lower case; empty where only kinds are wanted. */
  readonly text: string;
}

const kindWord = /(?<!\S)kind:([a-z]+)(?!\S)/g;

/** Reads a search as users write it, in any case. */
export function readSearch(written: string): WrittenSearch {
  const lower = written.toLowerCase();
  const kinds = [...lower.matchAll(kindWord)].flatMap(([, kind]) => kind ?? []);
  // Spaces count in a text that is looked for as it is.
  return { kinds, text: kinds.length === 0 ? lower : lower.replace(kindWord, ' ').replace(/\s+/g, ' ').trim() };
}

/** Whether an event is an action of one of the kinds; every event is where none is wanted. */
export function isOfKinds(event: TraceEvent, { kinds }: WrittenSearch): boolean {
  if (kinds.length === 0) return true;
  return event.type === 'tool-call' && kinds.includes(actionKindOf(event) ?? 'unknown');
}
