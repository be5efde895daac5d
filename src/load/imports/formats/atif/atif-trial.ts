import { readUsage } from '../../../../domain/usage.ts';
import { variantSchema } from '../../../../domain/variant.ts';
import { isRecord } from '../../../../shared/json.ts';
import { Repeats } from '../../../../shared/repeats.ts';
import { ChatTraceBuilder, type RequestFigures } from '../../chat-trace.ts';
import { amountOf, figureOf, type JsonObject, knownParts, nameOf, objectOf, wordsOf } from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { lost } from '../../losses.ts';
import { verdictIn } from '../../score-verdict.ts';
import { agentEnded, agentStarted } from '../../session-lines.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { type Caller, callEvent, isContent, resultEvent, textOf } from './atif-calls.ts';

/** The trial of one trajectory with those of its sub-agents. */
export function trialOfTrajectory(document: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const reader = new TrajectoryReader(line, source);
  reader.read(document, undefined);
  const { collector, figures } = reader;
  const continued = nameOf(document.continued_trajectory_ref);
  if (continued !== undefined) collector.lose(lost.everything, `the trajectory continues in ${continued}`);
  const total = totalOf(objectOf(document.final_metrics));
  figures.addTotal(total, 'final_metrics');
  const steps = amountOf(objectOf(document.final_metrics).total_steps);
  if (steps !== undefined && steps !== (document.steps as unknown[]).length)
    collector.lose(lost.everything, `the trajectory reports ${steps} steps`, 'final_metrics');
  figures.finish();
  const ours = objectOf(objectOf(document.extra).assay);
  const agent = objectOf(document.agent);
  const [name, model] = [realName(agent.name), nameOf(agent.model_name)];
  const { startedAt } = collector;
  return {
    line,
    id: nameOf(document.trajectory_id) ?? nameOf(document.session_id),
    scenario: nameOf(ours.scenario),
    caseId: nameOf(ours.caseId) ?? nameOf(document.session_id) ?? nameOf(document.trajectory_id),
    repeat: amountOf(ours.repeat),
    variant: variantSchema.safeParse(ours.variant).data ?? knownParts({ agent: name, model }),
    trace: [...startOf(name, agent, model), ...collector.finish(), ...endOf(ours, collector.at)],
    verdict: verdictIn({ outcome: ours.outcome }),
    startedAt,
    durationMs: amountOf(ours.durationMs) ?? collector.durationMs,
    usage: total.usage.usage,
    costUsd: amountOf(total.costUsd),
  };
}

function totalOf({ total_prompt_tokens, total_completion_tokens, total_cost_usd }: JsonObject): RequestFigures {
  const usage = readUsage({ inputTokens: total_prompt_tokens, outputTokens: total_completion_tokens });
  return { usage, costUsd: total_cost_usd };
}

function figuresOf(step: JsonObject): RequestFigures {
  const metrics = objectOf(step.metrics);
  const ours = objectOf(objectOf(metrics.extra).assay);
  const usage = readUsage({
    inputTokens: metrics.prompt_tokens,
    cachedInputTokens: metrics.cached_tokens,
    cacheWriteInputTokens: ours.cacheWriteInputTokens,
    outputTokens: metrics.completion_tokens,
    reasoningTokens: ours.reasoningTokens,
    totalTokens: ours.totalTokens,
  });
  return { usage, costUsd: metrics.cost_usd, model: nameOf(step.model_name) };
}

/** A name that stands for nothing is not a name. */
function realName(value: unknown): string | undefined {
  const name = nameOf(value);
  return name === 'unknown' ? undefined : name;
}

function startOf(agent: string | undefined, written: JsonObject, model: string | undefined): ImportedTrial['trace'] {
  if (agent === undefined) return [];
  // Which actions the agent would have reported is not known, so silence says nothing about them.
  return [agentStarted({ agent, version: realName(written.version), model, reports: [] })];
}

/** Whether the agent completed its task is not part of the format; our own files say it. */
function endOf({ completed, endReason }: JsonObject, at: number): ImportedTrial['trace'] {
  if (typeof completed !== 'boolean') return [];
  return [agentEnded(nameOf(endReason) ?? null, at, completed)];
}

class TrajectoryReader {
  readonly collector = new TraceCollector();
  readonly figures = new ChatTraceBuilder(this.collector);
  readonly #calls = new Set<string>();
  readonly #repeats = new Repeats();
  readonly #line: number;
  readonly #source: ImportSource;

  constructor(line: number, source: ImportSource) {
    this.#line = line;
    this.#source = source;
  }

  read(document: JsonObject, caller: Caller | undefined): void {
    const embedded = embeddedIn(document);
    const repeats = new Repeats();
    let before: number | undefined;
    for (const [index, step] of (Array.isArray(document.steps) ? document.steps : []).entries()) {
      const standing = repeats.standingOf(step);
      if (standing === 'again') this.#unread(index + 1, 'is the one before it again, and counts once');
      if (standing === 'again') continue;
      const next = before === undefined ? undefined : before + 1;
      const number = isRecord(step) ? figureOf(step.step_id) : next;
      if (next !== undefined && number !== next) this.#unread(index + 1, 'does not have the next `step_id`');
      before = number ?? next;
      if (isRecord(step)) this.#step(step, index + 1, embedded, caller);
      else this.#unread(index + 1, 'is not an object');
    }
    // Trajectories that no step refers to.
    for (const subagent of embedded.values()) {
      const parentCallId = nameOf(objectOf(objectOf(subagent.extra).assay).parentCallId);
      this.read(subagent, { actor: actorOf(subagent), parentCallId });
    }
  }

  #step(step: JsonObject, number: number, embedded: Map<string, JsonObject>, caller: Caller | undefined): void {
    const { emit } = this.collector;
    if (objectOf(objectOf(step.extra).assay).isEmpty === true) return;
    this.collector.setTime(step.timestamp);
    if (step.is_copied_context === true) {
      // It happened in an earlier trajectory, which is where it counts.
      emit({ type: 'other', kind: 'copied-context', data: step });
      return;
    }
    if (!['system', 'user', 'agent'].includes(String(step.source))) {
      this.#unread(number, 'has no valid `source`');
      return;
    }
    this.#words(step, caller, number);
    const calls = this.#objects(step.tool_calls, number, 'tool call');
    for (const [index, call] of calls.entries()) this.#call(call, callIdOf(call, number, index), caller, number);
    // A step that no model took part in has no tokens.
    if (step.source === 'agent' && step.llm_call_count !== 0)
      this.figures.addRequest(figuresOf(step), `step ${number}`);
    this.#observation(step, number, calls, embedded);
  }

  #unread(step: number, why: string): void {
    this.#source.problem(this.#line, `step ${step} ${why}`);
    this.collector.lose(lost.everything, `step ${step} ${why}`, this.#source.placeOf(this.#line));
  }

  /** The objects of a list of a step; anything else in it is lost. */
  #objects(list: unknown, step: number, what: string): JsonObject[] {
    if (list === undefined || list === null) return [];
    const all: readonly unknown[] = Array.isArray(list) ? list : [list];
    const objects = Array.isArray(list) ? all.filter(isRecord) : [];
    if (objects.length < all.length) this.collector.lose(lost.message, `a ${what} is not an object`, `step ${step}`);
    return objects;
  }

  #call(call: JsonObject, callId: string, caller: Caller | undefined, step: number): void {
    const { lose, emit } = this.collector;
    if (wordsOf(call.function_name) === undefined) lose(lost.call, 'a tool call has no name', `step ${step}`);
    if (this.#calls.has(callId)) lose(lost.call, `there are two calls with the id ${callId}`, `step ${step}`);
    if (this.#repeats.standingOf(call, callId) === 'again') return;
    this.#calls.add(callId);
    emit(callEvent(call, callId, caller));
  }

  /** Words of a sub-agent are not an answer of the agent. */
  #words(step: JsonObject, caller: Caller | undefined, number: number): void {
    const { emit } = this.collector;
    if (!isContent(step.message) || (step.source === 'agent' && step.message === undefined))
      this.collector.lose(lost.answer, 'a message was not read', `step ${number}`);
    const [thought, text] = [textOf(step.reasoning_content), textOf(step.message)];
    if (caller !== undefined) {
      if (thought !== '' || text !== '')
        emit({ type: 'other', kind: 'subagent-message', data: { ...caller, ...words(step, thought, text) } });
      return;
    }
    if (thought !== '') emit({ type: 'reasoning', text: thought });
    if (text === '') return;
    if (step.source === 'agent') emit({ type: 'message', role: 'assistant', text });
    else emit({ type: 'message', seenBy: 'engine', role: step.source === 'user' ? 'user' : 'system', text });
  }

  #observation(
    step: JsonObject,
    number: number,
    calls: readonly JsonObject[],
    embedded: Map<string, JsonObject>,
  ): void {
    const { results } = objectOf(step.observation);
    for (const result of this.#objects(results, number, 'result')) {
      const only = calls.length === 1 && calls[0] ? callIdOf(calls[0], number, 0) : undefined;
      const callId = nameOf(result.source_call_id) ?? only;
      this.#subagents(result, callId, embedded);
      if (callId !== undefined && !this.#calls.has(callId))
        this.collector.lose(lost.call, `the call of the result ${callId} is missing`, `step ${number}`);
      const event = callId === undefined ? undefined : resultEvent(result, callId);
      if (event) this.collector.emit(event);
      else if (callId === undefined) this.collector.emit({ type: 'other', kind: 'observation', data: result });
    }
  }

  #subagents(result: JsonObject, callId: string | undefined, embedded: Map<string, JsonObject>): void {
    const references = result.subagent_trajectory_ref;
    // The format has a list; a single reference is understood as well.
    for (const reference of (Array.isArray(references) ? references : [references]).filter(isRecord)) {
      const id = nameOf(reference.trajectory_id) ?? '';
      const subagent = embedded.get(id);
      embedded.delete(id);
      if (subagent) this.read(subagent, { actor: actorOf(subagent), parentCallId: callId });
      else {
        const where = nameOf(reference.trajectory_path) ?? nameOf(reference.session_id) ?? id;
        this.collector.lose(lost.everything, `the trajectory of a sub-agent is not in this file: ${where}`);
      }
    }
  }
}

function words(step: JsonObject, thought: string, text: string): JsonObject {
  return { source: step.source, ...(thought !== '' && { reasoning: thought }), ...(text !== '' && { text }) };
}

function callIdOf(call: JsonObject, step: number, index: number): string {
  return nameOf(call.tool_call_id) ?? `step-${step}-call-${index + 1}`;
}

function actorOf({ agent, extra }: JsonObject): string | undefined {
  return objectOf(objectOf(extra).assay).isUnnamed === true ? undefined : nameOf(objectOf(agent).name);
}

/** The embedded trajectories of sub-agents, by their ids. */
function embeddedIn({ subagent_trajectories: list }: JsonObject): Map<string, JsonObject> {
  const documents = (Array.isArray(list) ? list : []).filter(isRecord);
  return new Map(documents.map((document, index) => [nameOf(document.trajectory_id) ?? `unnamed ${index}`, document]));
}
