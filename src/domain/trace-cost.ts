import { sumOf } from './spend.ts';
import { eventsOf, type Trace } from './trace.ts';

/**
 * What the models of a trial cost, as far as the trace tells: 0 where no model was asked, and null as soon as one of
 * them did not report it. Answers of a conversation carry their own cost; what else was asked on the way, such as
 * whoever plays the user, stands beside them.
 */
export function costOfTrace(trace: Trace): number | null {
  const turns = eventsOf(trace, 'turn');
  const requests = eventsOf(trace, 'usage').filter(({ seenBy }) => turns.length === 0 || seenBy !== 'agent');
  if (turns.length === 0 && requests.length === 0) return wasModelAsked(trace) ? null : 0;
  return sumOf([...turns, ...requests].map(({ costUsd }) => costUsd ?? null));
}

function wasModelAsked(trace: Trace): boolean {
  return eventsOf(trace, 'agent-started').some(({ isScripted }) => !isScripted);
}
