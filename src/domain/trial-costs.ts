import * as z from 'zod';
import { sumOf } from './spend.ts';
import { eventsOf, type Trace } from './trace.ts';
import { countUnanswered, type Purpose } from './unanswered-requests.ts';

const usd = () => z.number().nullable();

/** What a trial cost, by who spent it; null where it is unknown. */
export const trialCostsSchema = z.object({
  targetUsd: usd().describe('what is under test: the agent, the connector, the model that drives a server'),
  personaUsd: usd().describe('the model that plays the user'),
  judgeUsd: usd().describe('the judge; what it took from its cache costs nothing'),
});
export type TrialCosts = z.infer<typeof trialCostsSchema>;

/** What a trial cost as a whole; unknown as soon as one part is. */
export function wholeTrialCost({ targetUsd, personaUsd, judgeUsd }: TrialCosts): number | null {
  return sumOf([targetUsd, personaUsd, judgeUsd]);
}

/** What the models of a trial cost, as far as its trace shows: 0 where none was called. */
export function costsInTrace(trace: Trace): Omit<TrialCosts, 'judgeUsd'> {
  const personaUsd = sumOf(
    eventsOf(trace, 'usage')
      .filter(({ purpose }) => purpose === 'persona')
      .map(({ costUsd }) => costUsd ?? null),
  );
  return {
    targetUsd: hasUnanswered(trace, 'target') ? null : targetCost(trace),
    personaUsd: hasUnanswered(trace, 'persona') ? null : personaUsd,
  };
}

/**
 * What the target of a stored trial cost. The judge's spending is not a property of what is under test. Records that
 * were written before costs were split hold the sum of both.
 */
export function targetCostOf(record: {
  readonly costUsd: number | null;
  readonly costs?: TrialCosts | undefined;
  readonly judge: { readonly costUsd: number | null } | null;
}): number | null {
  const { costUsd, costs, judge } = record;
  if (costs) return costs.targetUsd;
  if (costUsd === null || judge === null) return costUsd;
  return judge.costUsd === null ? null : Math.max(0, costUsd - judge.costUsd);
}

/**
 * Requests carry their cost. An answer of a conversation repeats the sum of its requests, and is the only one to carry a
 * cost where the agent did not report tokens.
 */
function targetCost(trace: Trace): number | null {
  const costs: (number | null)[] = [];
  let requestsSinceTurn = 0;
  for (const event of trace) {
    if (event.type === 'usage' && event.purpose === undefined) {
      costs.push(event.costUsd ?? null);
      requestsSinceTurn++;
    } else if (event.type === 'turn') {
      if (requestsSinceTurn === 0) costs.push(event.costUsd ?? null);
      requestsSinceTurn = 0;
    }
  }
  const wasAgentSilent = costs.length === 0 && eventsOf(trace, 'agent-started').some(({ isScripted }) => !isScripted);
  return wasAgentSilent ? null : sumOf(costs);
}

function hasUnanswered(trace: Trace, purpose: Purpose): boolean {
  return countUnanswered(trace, purpose) > 0;
}
