import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../../../domain/errors.ts';
import { faultOf } from '../../../../domain/outcome.ts';
import { reportsOfActions } from '../../../../drive/agents/actions.ts';
import { codexActions } from '../../../../drive/agents/codex/codex-stream.ts';
import { type JsonObject, knownParts, nameOf, objectOf, parseJson, timeOf } from '../../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { lost } from '../../losses.ts';
import { readSample, someObject } from '../../sample.ts';
import { agentEnded, agentStarted, readSideLines, SideFiles } from '../../session-lines.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { RolloutReader, type Subagent } from './rollout-reader.ts';

const reports = [...reportsOfActions({ ...codexActions, subagents: 'reported' }), 'usage' as const];

/** Stored sessions of Codex, with those of the sub-agents beside them. */
export const codexRollout: ImportFormat = {
  name: 'codex-rollout',
  summary: 'stored sessions of Codex (~/.codex/sessions), with their sub-agents',
  reports,
  recognises: (sample) => someObject(sample, isSessionMeta),
  lacks: (sample) =>
    someObject(sample, ({ type, payload }) => type === 'response_item' && payload !== undefined)
      ? 'a first line `session_meta` with the `id` of the session'
      : undefined,
  async readWith(path, others) {
    const sample = await readSample(path, basename(path), firstBytes);
    const parent = sample.objects
      .filter(isSessionMeta)
      .map(({ payload }) => nameOf(objectOf(payload).parent_thread_id))[0];
    return parent === undefined ? undefined : others.find((other) => other.endsWith(`${parent}.jsonl`));
  },
  async *read(source) {
    const session = new Rollout(source);
    for await (const { object, number } of source.objectLines()) await session.take(object, number);
    const trial = session.finish();
    if (trial) yield trial;
  },
};

const firstBytes = 262_144;

function isSessionMeta({ type, payload }: JsonObject): boolean {
  return type === 'session_meta' && nameOf(objectOf(payload).id) !== undefined;
}

class Rollout {
  readonly #source: ImportSource;
  readonly #collector = new TraceCollector();
  readonly #reader = new RolloutReader(this.#collector);
  readonly #side = new SideFiles<Subagent>();
  readonly #spawns = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #seen = new Set<string>();
  #line: number | undefined;
  #version: string | undefined;
  #isSession = false;

  constructor(source: ImportSource) {
    this.#source = source;
  }

  async take(line: JsonObject, number: number): Promise<void> {
    this.#line ??= number;
    if (this.#isRepeated(line)) return;
    const payload = objectOf(line.payload);
    const timeMs = timeOf(line.timestamp);
    if (timeMs !== undefined) this.#takeSide(timeMs);
    this.#collector.setTime(timeMs);
    if (isSessionMeta(line)) {
      this.#isSession = true;
      this.#version ??= nameOf(payload.cli_version);
    } else if (payload.type === 'function_call' && payload.name === 'spawn_agent') {
      const callId = nameOf(payload.call_id) ?? '';
      this.#spawns.add(callId);
      if (this.#answered.has(callId))
        this.#collector.lose(lost.everything, `the call ${callId} of a sub-agent stands after its result`);
    }
    this.#reader.add(line, undefined);
    if (payload.type === 'function_call_output') await this.#openSubagent(payload, number);
  }

  /** Every line has its time, and nothing happens twice in the same words at the same time. */
  #isRepeated(line: JsonObject): boolean {
    if (line.timestamp === undefined) return false;
    const digest = hash('sha1', JSON.stringify(line));
    const wasSeen = this.#seen.has(digest);
    this.#seen.add(digest);
    return wasSeen;
  }

  /** The answer to the call that starts a sub-agent names it. */
  async #openSubagent({ call_id, output }: JsonObject, number: number): Promise<void> {
    const parentCallId = nameOf(call_id) ?? '';
    this.#answered.add(parentCallId);
    if (!this.#spawns.has(parentCallId)) return;
    const answer = objectOf(typeof output === 'string' ? parseJson(output) : output);
    const id = nameOf(answer.agent_id) ?? '(not named)';
    const folder = dirname(this.#source.path);
    const file = (await readdir(folder)).find((name) => name.endsWith(`${id}.jsonl`));
    const lines = file === undefined ? undefined : await readSideLines(join(folder, file));
    if (lines) this.#side.add(lines, { actor: nameOf(answer.nickname) ?? 'sub-agent', parentCallId });
    else {
      const missing = `the rollout of sub-agent ${id} is not beside this file`;
      this.#source.warning(number, missing);
      this.#collector.lose([...lost.message, ...lost.usage], missing, this.#source.placeOf(number));
    }
  }

  #takeSide(untilMs?: number): void {
    for (const { object, timeMs, side } of this.#side.take(untilMs)) {
      this.#collector.setTime(timeMs === 0 ? undefined : timeMs);
      this.#reader.add(object, side);
    }
  }

  finish(): ImportedTrial | undefined {
    const line = this.#line ?? 1;
    if (!this.#isSession) {
      this.#source.problem(line, 'not a session: the line `session_meta` is missing');
      return undefined;
    }
    this.#takeSide();
    this.#reader.finish();
    this.#source.lossesInto(this.#collector);
    const { isCompleted: completed, failure, model } = this.#reader;
    const reason = completed ? null : (failure ?? 'the session ends before the task is complete');
    if (reason !== null) this.#collector.lose(lost.everything, reason);
    this.#collector.keep(agentEnded(reason, this.#collector.at));
    const { startedAt, durationMs } = this.#collector;
    const agent = 'codex';
    return {
      line,
      caseId: 'task',
      variant: knownParts({ agent, model }),
      trace: [agentStarted({ agent, version: this.#version, model, reports }), ...this.#collector.finish()],
      verdict: undefined,
      ...(!completed &&
        failure !== undefined && { fault: faultOf(new AssayError('AGENT_FAILED', `Codex failed: ${failure}`)) }),
      startedAt,
      durationMs,
    };
  }
}
