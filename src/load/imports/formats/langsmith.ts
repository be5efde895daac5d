import type { Channel } from '../../../domain/capability.ts';
import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { isChatMessage, readMessage } from '../chat-message.ts';
import { ChatTraceBuilder, type RequestFigures } from '../chat-trace.ts';
import { amountOf, type JsonObject, nameOf, objectOf, timeOf, wordsOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { checksOf, figuresOf, type NamedScore, verdictOfChecks } from '../score-verdict.ts';
import { TraceCollector } from '../trace-collector.ts';
import { generatedMessages } from './otlp/conventions/langchain-messages.ts';

const listKeys: ReadonlySet<string> = new Set(['runs']);

/** Runs of LangSmith: each root run is a trial, with the tools and tokens of the runs below it. */
export const langsmith: ImportFormat = {
  name: 'langsmith',
  summary: 'runs of LangSmith (API or export, JSON or JSON Lines)',
  reports: [],
  recognises: (sample) => someObject(sample, isRun),
  lacks: ({ text }) =>
    /"dotted_order"\s*:|"run_type"\s*:/.test(text) ? 'runs with `id`, `run_type` and `trace_id`' : undefined,
  async *read(source) {
    const traces = new Map<string, { readonly runs: JsonObject[]; readonly line: number }>();
    for await (const { value, line } of source.records(listKeys)) {
      if (!isRecord(value) || !isRun(value)) {
        source.lostPart(line, 'not a run: `id`, `run_type` or `trace_id` is missing');
        continue;
      }
      const key = nameOf(value.trace_id) ?? '';
      const trace = traces.get(key) ?? { runs: [], line };
      const before = trace.runs.find(({ id }) => id === value.id);
      // A run that was exported twice counts once.
      if (!before) trace.runs.push(value);
      else if (canonicalJson(before) !== canonicalJson(value))
        source.lostPart(line, `run ${value.id} is there twice, and differs`);
      traces.set(key, trace);
    }
    // Runs whose root is elsewhere may belong to any of the others.
    for (const [id, { runs, line }] of traces)
      if (!runs.some(isRoot)) source.lostPart(line, `trace ${id} has no root run`);
    for (const { runs, line } of traces.values()) {
      const root = runs.find(isRoot);
      if (root) yield trialOf(root, inOrder(runs), line, source);
    }
  },
};

function isRun(object: JsonObject): boolean {
  return 'id' in object && typeof object.run_type === 'string' && nameOf(object.trace_id) !== undefined;
}

function isRoot({ id, trace_id: trace, parent_run_id: parent }: JsonObject): boolean {
  return nameOf(parent) === undefined && (id === trace || parent === null);
}

function inOrder(runs: readonly JsonObject[]): JsonObject[] {
  const key = (run: JsonObject): string => nameOf(run.dotted_order) ?? nameOf(run.start_time) ?? '';
  return [...runs].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function trialOf(root: JsonObject, runs: readonly JsonObject[], line: number, source: ImportSource): ImportedTrial {
  const collector = new TraceCollector();
  collector.setTime(root.start_time);
  const builder = new ChatTraceBuilder(collector);
  const place = source.placeOf(line);
  for (const message of messagesIn(root.inputs, 'user')) builder.add(message, place);
  for (const tool of runs.filter(({ run_type: type }) => type === 'tool')) addTool(tool, collector);
  for (const message of messagesIn(root.outputs, 'assistant')) builder.add(message, place);
  // Figures of a root are sums of those below it.
  const models = runs.filter(({ run_type: type }) => type === 'llm');
  for (const run of models) builder.addRequest(figuresOfRun(run), nameOf(run.id));
  builder.addTotal(figuresOfRun(root), place);
  const [started, ended] = [timeOf(root.start_time), timeOf(root.end_time)];
  builder.addTime(started, ended);
  builder.finish();
  loseUnseen(runs, collector);
  if (runs.length > 1) collector.loseMissingAnswer();
  source.lossesInto(collector);
  const scores = scoresIn(root);
  const checks = checksOf(scores, source.options.passAt);
  const model = models.map(modelOf).find((name) => name !== undefined);
  const error = nameOf(root.error);
  return {
    line,
    id: nameOf(root.trace_id),
    scenario: nameOf(root.name),
    caseId: nameOf(root.reference_example_id) ?? nameOf(root.id),
    variant: model === undefined ? {} : { model },
    trace: collector.finish(),
    verdict: error === undefined ? verdictOfChecks(checks) : { state: 'error', reason: `the run failed: ${error}` },
    checks: checks.length > 1 ? checks : [],
    reports: runs.length > 1 ? ['tool-calls'] : [],
    startedAt: started,
    durationMs: started === undefined || ended === undefined ? undefined : Math.max(0, ended - started),
    costUsd: amountOf(root.total_cost),
    metrics: figuresOf(scores),
  };
}

/** Messages of inputs or outputs; any other data is one message. */
function messagesIn(data: unknown, role: 'user' | 'assistant'): JsonObject[] {
  const fields = objectOf(data);
  const listed = [fields.messages, fields.output].find((list) => Array.isArray(list) && list.flat().every(isMessage));
  if (Array.isArray(listed)) {
    const messages = listed.flat().map(plainMessage);
    // The outputs of a graph repeat its inputs.
    return role === 'user'
      ? messages
      : messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
  }
  const texts = Object.values(fields).filter((value) => value !== null && value !== undefined);
  if (texts.length === 0) return [];
  const [only] = texts;
  const content = texts.length === 1 && typeof only === 'string' ? only : JSON.stringify(data);
  return [{ role, content }];
}

const messageTypes: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
};

function isMessage(value: unknown): boolean {
  return isChatMessage(value) || (isRecord(value) && typeof value.type === 'string' && value.type in messageTypes);
}

/** A message of LangChain in the notation of chats. */
function plainMessage(message: JsonObject): JsonObject {
  const role = messageTypes[String(message.type)];
  return role === undefined ? message : { ...message, role };
}

function addTool(run: JsonObject, collector: TraceCollector): void {
  const [started, ended] = [timeOf(run.start_time), timeOf(run.end_time)];
  const [callId, tool] = [nameOf(run.id) ?? 'unknown', wordsOf(run.name) ?? 'unknown'];
  if (tool === 'unknown') collector.lose(lost.call, 'a tool call has no name', callId);
  collector.setTime(run.start_time);
  collector.emit({ type: 'tool-call', callId, tool, input: run.inputs ?? {} });
  collector.setTime(run.end_time);
  const durationMs = started === undefined || ended === undefined ? undefined : Math.max(0, ended - started);
  const message = nameOf(run.error);
  const { output = run.outputs } = objectOf(run.outputs);
  const answer = message === undefined ? { result: output ?? null } : { error: { message } };
  collector.emit({ type: 'tool-result', callId, durationMs, ...answer });
}

function figuresOfRun(run: JsonObject): RequestFigures {
  return { usage: readCounts(run), costUsd: run.total_cost, model: modelOf(run) };
}

const otherKinds = /^(?:chain|retriever|embedding|prompt|parser)$/;

/** Calls that only the answers of models show, runs of which it is not known what they are, and runs that are missing. */
function loseUnseen(runs: readonly JsonObject[], collector: TraceCollector): void {
  const unused = runs.filter(({ run_type: type }) => type === 'tool').map(({ name }) => nameOf(name));
  const ids = new Set(runs.map(({ id }) => id));
  for (const { id, run_type: type, parent_run_id: parent, end_time: end, outputs } of runs) {
    const lose = (channels: readonly Channel[], reason: string): void => collector.lose(channels, reason, nameOf(id));
    const isKnown = type === 'tool' || type === 'llm' || otherKinds.test(String(type));
    if (!isKnown) lose(lost.everything, `a run of the unknown type ${JSON.stringify(type)}`);
    if (parent != null && !ids.has(parent)) lose(lost.everything, `the run ${String(parent)} around it is missing`);
    if (end === null) lose(lost.everything, 'a run has not ended');
    if (type !== 'llm') continue;
    for (const { name } of generatedMessages(objectOf(outputs).generations).flatMap(
      (m) => readMessage(m)?.calls ?? [],
    )) {
      const at = unused.indexOf(name);
      if (at === -1) lose(lost.call, `a model calls ${name}, which has no run`);
      else unused.splice(at, 1);
    }
  }
}

function modelOf({ extra }: JsonObject): string | undefined {
  const { metadata, invocation_params: parameters } = objectOf(extra);
  return nameOf(objectOf(metadata).ls_model_name) ?? nameOf(objectOf(parameters).model);
}

/** Averages of feedback are verdicts only where a limit is given: 0.5 may be one of two raters. */
function scoresIn({ feedback_stats: stats }: JsonObject): NamedScore[] {
  if (stats != null && !isRecord(stats)) return [{ name: 'feedback_stats', value: stats, meaning: 'verdict' }];
  return Object.entries(objectOf(stats)).map(([name, stat]) => {
    const { avg, values } = objectOf(stat);
    return { name, value: avg ?? null, isCategory: Object.keys(objectOf(values)).length > 0 };
  });
}
