import * as z from 'zod';
import { counted } from '../shared/format.ts';
import { lazySchema } from '../shared/lazy-schema.ts';
import { sumOf } from './cost-sum.ts';
import { countedUsage, withCountedUsage } from './counted-usage.ts';
import type { ServingPurpose } from './serving-purpose.ts';
import { eventsOf, hasEvent, type Trace, type TraceEventOf, type UnstampedEvent } from './trace.ts';

/** For whom a model works in a trial; what is under test where nothing else is said. */
type Purpose = 'target' | ServingPurpose;

/** Requests that were sent to a model and got no reply, so it is unknown whether they were billed. */
export class UnansweredRequests {
  readonly #open = new Set<symbol>();

  get count(): number {
    return this.#open.size;
  }

  /** Counts a request as unanswered until the function is called: it was answered, or certainly not billed. */
  begin(): () => void {
    const request = Symbol('request');
    this.#open.add(request);
    return () => void this.#open.delete(request);
  }
}

/** Trace events for requests without a reply; none where each had one. */
export function unansweredEvents(model: string, requests: number, purpose: Purpose): UnstampedEvent[] {
  if (requests === 0) return [];
  const reason = `${counted(requests, 'request')} to ${model} got no reply with figures`;
  const whose = purpose === 'target' ? {} : { purpose };
  return [{ type: 'gap', channels: ['usage', 'cost'], reason, requests, ...whose }];
}

/** Why not all costs of a spender are known; empty where they are. */
function costGaps(trace: Trace, spender: Purpose): TraceEventOf<'gap'>[] {
  return eventsOf(withCountedUsage(trace), 'gap').filter(
    ({ channels, purpose = 'target' }) => purpose === spender && channels.includes('cost'),
  );
}

const usd = () => z.number().nullable();

/** Cost of a trial by spender; null where it is unknown. */
export const trialCostsSchema = lazySchema(() =>
  z.object({
    targetUsd: usd().describe('what is under test: the agent, the connector, the model that drives a server'),
    personaUsd: usd().describe('the model that plays the user'),
    judgeUsd: usd().describe('the judge; what it took from its cache costs nothing'),
    simulationUsd: usd().optional().describe('models that played tools; absent where none did'),
  }),
);
type TrialCosts = z.infer<typeof trialCostsSchema>;

/** Whole cost of a trial; unknown as soon as one part is. */
export function wholeTrialCost({ targetUsd, personaUsd, judgeUsd, simulationUsd = 0 }: TrialCosts): number | null {
  return sumOf([targetUsd, personaUsd, judgeUsd, simulationUsd]);
}

const eventsAboutModels = ['usage', 'turn', 'agent-started', 'gap'] as const;

/** Whether a trace has anything to say of a model; most direct calls do not, and need no closer look. */
export function mayCost(trace: Trace): boolean {
  return eventsAboutModels.some((type) => hasEvent(trace, type));
}

/** Model costs of a trial, as far as its trace shows: 0 where no model was called. */
export function costsInTrace(trace: Trace): Omit<TrialCosts, 'judgeUsd'> {
  const isSimulated = eventsOf(trace, 'tool-control').some(({ kind }) => kind === 'simulate');
  return {
    targetUsd: costGaps(trace, 'target').length > 0 ? null : targetCost(trace),
    personaUsd: servingCost(trace, 'persona'),
    ...(isSimulated && { simulationUsd: servingCost(trace, 'simulation') }),
  };
}

/** Cost of the models that take part in a trial and are not under test. */
function servingCost(trace: Trace, purpose: ServingPurpose): number | null {
  if (costGaps(trace, purpose).length > 0) return null;
  const requests = countedUsage(trace).filter((usage) => usage.purpose === purpose);
  return sumOf(requests.map(({ costUsd }) => costUsd ?? null));
}

/**
 * Cost of the target of a stored trial. The judge's spending is not a property of what is under test. Records that
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
  for (const event of withCountedUsage(trace)) {
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
