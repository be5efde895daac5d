import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type Trace, type TraceEventOf } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { isRecord } from '../../shared/json.ts';

/** What the artifacts tell of a trial beside its trace and its record; nothing but data. */
export interface TrialFacts {
  readonly scenario: string;
  readonly description: string;
  readonly scenarioHash: string;
  readonly prompt: string | null;
  /** The agent; scenario files and artifacts of this format call it the tool. */
  readonly tool: string;
  readonly toolVersion: string | null;
  readonly model: string;
  readonly guidance: string | null;
  readonly isolation: string | null;
  readonly isScripted: boolean;
  /** Of the tool under test. */
  readonly targetVersion: string | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
}

/** Everything a renderer is given; free of secrets when it gets there. */
export interface TrialStory {
  readonly facts: TrialFacts;
  readonly trace: Trace;
  readonly record: TrialRecord;
}

/** Gathers the facts of a trial from its plan and from what was seen. */
export function trialFacts(trial: Trial, trace: Trace, targetVersion: string | null): TrialFacts {
  const [started] = eventsOf(trace, 'agent-started');
  const { scenario, variant } = trial;
  return {
    scenario: scenario.name,
    description: scenario.description,
    scenarioHash: scenario.contentHash,
    prompt: promptOf(scenario.target.config),
    tool: variant.agent ?? started?.agent ?? 'direct',
    toolVersion: started?.version ?? null,
    model: variant.model ?? started?.model ?? 'default',
    guidance: variant.guidance ?? null,
    isolation: started?.isolation ?? null,
    isScripted: started?.isScripted ?? false,
    targetVersion,
    usage: usageOf(eventsOf(trace, 'usage')),
  };
}

function promptOf(config: unknown): string | null {
  return isRecord(config) && typeof config.prompt === 'string' ? config.prompt : null;
}

function usageOf(events: readonly TraceEventOf<'usage'>[]): TrialFacts['usage'] {
  if (events.length === 0) return null;
  const total = (count: (event: TraceEventOf<'usage'>) => number): number =>
    events.reduce((sum, event) => sum + count(event), 0);
  return { input: total((event) => event.inputTokens), output: total((event) => event.outputTokens) };
}
