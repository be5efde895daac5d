import { withCountedUsage } from '../../../domain/counted-usage.ts';
import { marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { type ObservedCall, observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace, type TraceEvent, type TraceEventOf } from '../../../domain/trace.ts';
import { eachTracedTrial } from '../../../keep/store/store.ts';
import { wellFormed } from '../../../shared/text.ts';
import type { StoredRun } from '../reporter.ts';
import type { StepCall } from './call-steps.ts';
import { StepBuilder } from './step-builder.ts';
import { type Extra, extraOf, type Step, type Trajectory, writtenVersion } from './trajectory.ts';

/** One trajectory a line for each trial of a run. */
export async function* trajectoriesOf({ store, summary }: StoredRun): AsyncGenerator<string, void> {
  for await (const { record, readTrace } of eachTracedTrial(store, summary.run.runId)) {
    const trace = await readTrace();
    yield `${JSON.stringify(trajectoryOf(record, trace), wellFormedText)}\n`;
  }
}

function wellFormedText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? wellFormed(value) : value;
}

function trajectoryOf(record: TrialRecord, trace: Trace): Trajectory {
  const { variant, usage, costUsd, trialId } = record;
  const [started] = eventsOf(trace, 'agent-started');
  const builder = new TrajectoryBuilder(trace);
  const model = variant.model ?? started?.model ?? undefined;
  const agent = {
    name: started?.agent ?? variant.agent ?? variant.connector ?? unknownName,
    version: started?.version ?? unknownName,
    ...(model !== undefined && { model_name: model }),
  };
  const written = builder.finish({ record, agent, id: trialId });
  const steps = written.steps.length > 0 ? written.steps : [emptyStep];
  return {
    ...written,
    steps,
    final_metrics: {
      ...(usage?.inputTokens !== undefined && { total_prompt_tokens: usage.inputTokens }),
      ...(usage?.outputTokens !== undefined && { total_completion_tokens: usage.outputTokens }),
      ...(costUsd !== null && { total_cost_usd: costUsd }),
      total_steps: steps.length,
    },
    extra: trialExtra(record, trace, builder.leftOut),
  };
}

/** The format requires a name and a version. */
const unknownName = 'unknown';
/** The format requires a step; a trial need not have one. */
const emptyStep: Step = { step_id: 1, source: 'system', message: '', extra: { assay: { isEmpty: true } } };

function trialExtra(record: TrialRecord, trace: Trace, leftOut: Readonly<Record<string, number>>): Extra {
  const { runId, scenario, file, caseId, repeat, variant, outcome, reason, durationMs } = record;
  const ended = eventsOf(trace, 'agent-ended').at(-1);
  const marks = marksOf(record);
  return {
    assay: {
      ...{ runId, scenario, file, caseId, repeat, variant, outcome, reason },
      ...(durationMs !== null && { durationMs }),
      ...(marks.length > 0 && { marks }),
      ...(ended && { completed: ended.completed, endReason: ended.reason }),
      leftOut,
    },
  };
}

interface Subagent {
  readonly id: string;
  readonly actor: string | undefined;
  /** Of a call that is not in the trace. */
  readonly parentCallId?: string | undefined;
  readonly builder: StepBuilder;
  readonly children: Subagent[];
}

interface Document {
  readonly record: TrialRecord;
  readonly agent: Trajectory['agent'];
  readonly id: string;
}

/** Steps of the main agent, and a trajectory within for each sub-agent. */
class TrajectoryBuilder {
  /** Events that the format has no place for, by type. */
  readonly leftOut: Record<string, number> = {};
  readonly #main: Subagent = { id: '', actor: undefined, builder: new StepBuilder(), children: [] };
  readonly #callers = new Map<string, { readonly call: StepCall; readonly agent: Subagent }>();

  constructor(trace: Trace) {
    const calls = new Map<number, ObservedCall[]>();
    for (const call of observedCalls(trace)) calls.set(call.eventIndex, [...(calls.get(call.eventIndex) ?? []), call]);
    const counted = new Set(withCountedUsage(trace));
    for (const [index, event] of trace.entries()) {
      const isElsewhere = event.type === 'tool-call' && !calls.has(index);
      if (isElsewhere || !counted.has(event) || !this.#take(event, calls.get(index) ?? [])) this.#leaveOut(event);
    }
  }

  finish({ record, agent, id }: Document): Trajectory {
    return documentOf(this.#main, id, record, agent);
  }

  #take(event: TraceEvent, calls: readonly ObservedCall[]): boolean {
    const { builder } = this.#main;
    if (event.type === 'message' && event.role !== 'assistant') builder.prompt(event.role, event.at, event.text);
    else if (event.type === 'message') builder.say(event.at, event.text);
    else if (event.type === 'reasoning') builder.think(event.at, event.text);
    else if (event.type === 'tool-call') for (const observed of calls) this.#call(event, observed);
    else if (event.type === 'tool-result') this.#answered(event);
    else if (event.type === 'usage' && event.purpose === undefined) builder.spend(event);
    else if (event.type === 'turn' && calls.length > 0) this.#callsOfTurn(event, calls);
    else return isHeldElsewhere(event);
    return true;
  }

  #call(event: TraceEventOf<'tool-call'>, observed: ObservedCall): void {
    const agent = this.#agentOf(event);
    const call = { id: event.callId, event, observed, subagents: [] };
    agent.builder.call(event.at, call);
    this.#callers.set(event.callId, { call, agent });
  }

  #answered({ callId }: TraceEventOf<'tool-result'>): void {
    this.#callers.get(callId)?.agent.builder.answered();
  }

  /** Calls that are only in the messages of an answer. */
  #callsOfTurn({ at }: TraceEventOf<'turn'>, calls: readonly ObservedCall[]): void {
    for (const observed of calls) {
      this.#main.builder.call(at, { id: `call-${observed.number}`, event: undefined, observed, subagents: [] });
    }
  }

  #agentOf({ actor, parentCallId }: TraceEventOf<'tool-call'>): Subagent {
    if (actor === undefined && parentCallId === undefined) return this.#main;
    const caller = parentCallId === undefined ? undefined : this.#callers.get(parentCallId);
    const { children } = caller?.agent ?? this.#main;
    const id = `subagent ${JSON.stringify([parentCallId, actor])}`;
    const earlier = children.find((child) => child.id === id);
    if (earlier) return earlier;
    const lost = caller ? undefined : parentCallId;
    const begun: Subagent = { id, actor, parentCallId: lost, builder: new StepBuilder(), children: [] };
    children.push(begun);
    caller?.call.subagents.push(id);
    return begun;
  }

  #leaveOut({ type }: TraceEvent): void {
    this.leftOut[type] = (this.leftOut[type] ?? 0) + 1;
  }
}

/** The start and the end of the agent are in the members `agent` and `extra`. */
function isHeldElsewhere({ type }: TraceEvent): boolean {
  return type === 'agent-started' || type === 'agent-ended';
}

function documentOf(
  { builder, children }: Subagent,
  id: string,
  record: TrialRecord,
  agent: Trajectory['agent'],
): Trajectory {
  const embedded = children.map((child) => {
    const document = documentOf(child, child.id, record, { ...agent, name: child.actor ?? agent.name });
    const extra = extraOf({
      isUnnamed: child.actor === undefined ? true : undefined,
      parentCallId: child.parentCallId,
    });
    return { ...document, ...(extra && { extra }) };
  });
  return {
    schema_version: writtenVersion,
    session_id: record.trialId,
    trajectory_id: id,
    agent,
    steps: builder.steps((at) => timeText(record.startedAt + at)),
    ...(embedded.length > 0 && { subagent_trajectories: embedded }),
  };
}

const latestMs = 8.64e15;

/** A clock that went wrong gives none. */
function timeText(ms: number): string | undefined {
  return Math.abs(ms) <= latestMs ? new Date(ms).toISOString() : undefined;
}
