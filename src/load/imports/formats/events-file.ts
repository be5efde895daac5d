import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TraceEvent } from '../../../domain/trace.ts';
import { EventsFileReader } from '../../../score/interaction/events-file.ts';
import { isRecord } from '../../../shared/json.ts';
import { amountOf, type JsonObject, knownParts, msOfSeconds, nameOf, objectOf, parseJson, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { type RecordedVerdict, verdictIn } from '../score-verdict.ts';
import { TraceCollector } from '../trace-collector.ts';

const eventNames = new Set(['spawn', 'output', 'tool_call', 'tool_result', 'complete', 'setup_command', 'post_script']);
const ownTypes = new Set(['setup_command', 'execution', 'post_script']);

/** `events.jsonl` of llm-tool-test and of Assay: what happened in one trial, one event per line. */
export const eventsFile: ImportFormat = {
  name: 'events',
  summary: 'events.jsonl of llm-tool-test or Assay',
  reports: ['tool-calls'],
  recognises: (sample) =>
    someObject(sample, ({ event, type, ts }) =>
      typeof event === 'string'
        ? typeof ts === 'number' && (eventNames.has(event) || typeof type === 'string')
        : typeof type === 'string' && ownTypes.has(type),
    ),
  async *read(source) {
    const events = new CollectedEvents();
    const reader = new EventsFileReader((event) => events.keep(event));
    let firstLine: number | undefined;
    for await (const { object, text, number } of source.objectLines()) {
      firstLine ??= number;
      events.startedAt ??= startOf(object);
      events.isForeign ||= object.event === 'tool_call' || object.event === 'spawn';
      reader.add(text);
    }
    if (firstLine === undefined) return;
    if (events.startedAt === undefined && !events.collector.isUnderstood) {
      source.problem(firstLine, 'not a file of events: no line has a known `event` or `type`');
      return;
    }
    source.lossesInto(events.collector);
    if (events.isForeign && !events.isEnded) events.collector.lose(lost.everything, 'the events end before the agent');
    // Another program writes calls, and no words of the agent.
    if (events.isForeign && !events.collector.hasAnswer) events.collector.lose(lost.answer, 'no answer was recorded');
    yield { line: firstLine, ...events.trial(), ...(await factsBeside(source.path, events)) };
  },
};

/** Events of Assay have both a timestamp and the time since the trial began. */
function startOf({ ts, at }: JsonObject): number | undefined {
  const time = timeOf(ts);
  return time === undefined ? undefined : time - (typeof at === 'number' ? at : 0);
}

class CollectedEvents {
  readonly collector = new TraceCollector();
  startedAt: number | undefined;
  /** Whether another program wrote them, which always writes the end of the agent. */
  isForeign = false;
  isEnded = false;
  #agent: string | undefined;
  #model: string | undefined;
  #lastAt = 0;

  keep(event: TraceEvent): void {
    if (event.type === 'agent-started') {
      this.#agent ??= event.agent;
      this.#model ??= event.model ?? undefined;
    }
    this.isEnded ||= event.type === 'agent-ended';
    this.#lastAt = Math.max(this.#lastAt, event.at);
    this.collector.keep(event);
  }

  trial(): Omit<ImportedTrial, 'line'> {
    const variant = knownParts({ agent: this.#agent, model: this.#model });
    const isMeasured = this.startedAt !== undefined && !this.collector.hasLostTimes;
    const durationMs = isMeasured ? this.#lastAt : undefined;
    const trace = this.collector.finish();
    return { caseId: 'task', variant, trace, verdict: undefined, startedAt: this.startedAt, durationMs };
  }
}

/** Reads `run.json` and `metrics.json` beside the events or in the folder above. */
async function factsBeside(path: string, events: CollectedEvents): Promise<Partial<ImportedTrial>> {
  const folders = [dirname(path), dirname(dirname(path))];
  const run = await firstObject(folders.map((folder) => join(folder, 'run.json')));
  const metrics = await firstObject(folders.map((folder) => join(folder, 'metrics.json')));
  if (nameOf(run.scenario_id) === undefined) return { verdict: verdictBeside(metrics) };
  const durationMs = msOfSeconds(run.duration_secs);
  return {
    scenario: nameOf(run.scenario_id),
    variant: { ...events.trial().variant, ...knownParts({ agent: nameOf(run.tool), model: nameOf(run.model) }) },
    verdict: verdictBeside(metrics),
    ...(events.startedAt === undefined && { startedAt: timeOf(run.timestamp) }),
    ...(durationMs !== undefined && { durationMs }),
    costUsd: amountOf(run.cost_estimate_usd),
  };
}

function verdictBeside(metrics: JsonObject): RecordedVerdict | undefined {
  const verdict = verdictIn(metrics);
  if (verdict) return verdict;
  const passed = amountOf(metrics.gates_passed);
  const total = amountOf(metrics.gates_total);
  if (passed === undefined || total === undefined || total === 0) return undefined;
  return { state: passed >= total ? 'pass' : 'fail', reason: `${passed} of ${total} gates passed` };
}

async function firstObject(paths: readonly string[]): Promise<JsonObject> {
  for (const path of paths) {
    const value = parseJson(await readFile(path, 'utf8').catch(() => ''));
    if (isRecord(value)) return objectOf(value);
  }
  return {};
}
