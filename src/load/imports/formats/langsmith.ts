import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { isChatMessage, readMessage } from '../chat-message.ts';
import type { RequestFigures } from '../chat-trace.ts';
import { ChatTrial } from '../chat-trial.ts';
import { amountOf, type JsonObject, knownParts, msBetween, nameOf, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { type NamedScore, scored } from '../score-verdict.ts';
import { generatedMessages } from './otlp/conventions/langchain-messages.ts';

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
    for await (const { value, line } of source.records('runs')) {
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
  const trial = new ChatTrial(source, line, root.start_time);
  const { collector, chat, place } = trial;
  for (const message of messagesIn(root.inputs, 'user')) chat.add(message, place);
  for (const tool of runs.filter(({ run_type: type }) => type === 'tool')) addTool(tool, trial);
  for (const message of messagesIn(root.outputs, 'assistant')) chat.add(message, place);
  // Figures of a root are sums of those below it.
  const models = runs.filter(({ run_type: type }) => type === 'llm');
  for (const run of models) chat.addRequest(figuresOfRun(run), nameOf(run.id));
  chat.addTotal(figuresOfRun(root), place);
  const startedAt = timeOf(root.start_time);
  chat.addTime(startedAt, timeOf(root.end_time));
  chat.finish();
  loseUnseen(runs, trial);
  if (runs.length > 1) collector.loseMissingAnswer();
  source.lossesInto(collector);
  const error = nameOf(root.error);
  return trial.finish({
    id: nameOf(root.trace_id),
    scenario: nameOf(root.name),
    caseId: nameOf(root.reference_example_id) ?? nameOf(root.id),
    variant: knownParts({ model: models.map(modelOf).find((name) => name !== undefined) }),
    reports: runs.length > 1 ? ['tool-calls'] : [],
    startedAt,
    durationMs: msBetween(root.start_time, root.end_time),
    costUsd: amountOf(root.total_cost),
    ...scored(scoresIn(root), source.options.passAt),
    ...(error !== undefined && { verdict: { state: 'error', reason: `the run failed: ${error}` } }),
  });
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

function addTool({ id, name, inputs, outputs, error, ...run }: JsonObject, trial: ChatTrial): void {
  const message = nameOf(error);
  const { output = outputs } = objectOf(outputs);
  const answer = message === undefined ? { result: output ?? null } : { error: { message } };
  trial.addTool({ id, name, input: inputs, answer, startedAt: run.start_time, endedAt: run.end_time });
}

function figuresOfRun(run: JsonObject): RequestFigures {
  return { usage: readCounts(run), costUsd: run.total_cost, model: modelOf(run) };
}

const otherKinds = /^(?:chain|retriever|embedding|prompt|parser)$/;

/** Calls that only the answers of models show, runs of which it is not known what they are, and runs that are missing. */
function loseUnseen(runs: readonly JsonObject[], trial: ChatTrial): void {
  const ids = new Set(runs.map(({ id }) => id));
  for (const { id, run_type: type, parent_run_id: parent, end_time: end, outputs } of runs) {
    const place = nameOf(id);
    const lose = (reason: string): void => trial.collector.lose(lost.everything, reason, place);
    const isKnown = type === 'tool' || type === 'llm' || otherKinds.test(String(type));
    if (!isKnown) lose(`a run of the unknown type ${JSON.stringify(type)}`);
    if (parent != null && !ids.has(parent)) lose(`the run ${String(parent)} around it is missing`);
    if (end === null) lose('a run has not ended');
    if (type !== 'llm') continue;
    const calls = generatedMessages(objectOf(outputs).generations).flatMap((each) => readMessage(each)?.calls ?? []);
    for (const { name } of calls) trial.expectTool(name, `a model calls ${name}, which has no run`, place);
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
