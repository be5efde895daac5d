import type { Capability } from './capability.ts';
import { hasEvent, type Trace } from './trace.ts';

/** A trial is a conversation when its target answers in turns, so evaluators can look at each answer. */
export function isConversation({ provides }: { readonly provides: readonly Capability[] }): boolean {
  return provides.includes('turns');
}

/** The same, seen in a trace: every target that answers in turns emits a `turn` event for each answer. */
export function hasTurns(trace: Trace): boolean {
  return hasEvent(trace, 'turn');
}
