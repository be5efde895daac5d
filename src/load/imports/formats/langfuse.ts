import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { isChatMessage, readMessage } from '../chat-message.ts';
import { ChatTraceBuilder } from '../chat-trace.ts';
import { amountOf, type JsonObject, nameOf, objectOf, parseJson, timeOf, wordsOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { checksOf, figuresOf, type NamedScore, verdictOfChecks } from '../score-verdict.ts';
import { TraceCollector } from '../trace-collector.ts';

const listKeys: ReadonlySet<string> = new Set(['data', 'traces']);

/** Traces of Langfuse with their observations and scores: each is a trial. */
export const langfuse: ImportFormat = {
  name: 'langfuse',
  summary: 'traces of Langfuse with observations and scores (API or download, JSON or JSON Lines)',
  reports: [],
  recognises: (sample) =>
    someObject(sample, isTrace) || (/"observations"\s*:/.test(sample.text) && /"htmlPath"\s*:/.test(sample.text)),
  lacks: ({ text }) =>
    /"(?:htmlPath|traceId)"\s*:/.test(text)
      ? 'traces with `timestamp` and `observations` (a list of objects)'
      : undefined,
  async *read(source) {
    let [traces, head]: [number, JsonObject] = [0, {}];
    for await (const { value, line, head: members } of source.records(listKeys)) {
      head = members;
      traces++;
      if (isRecord(value) && isTrace(value)) yield trialOf(value, line, source);
      else source.problem(line, 'not a trace: `timestamp` or `observations` (a list of objects) is missing');
    }
    const { totalItems, totalPages } = objectOf(head.meta);
    if (totalPages === 1) source.expectCount('trace', [totalItems], traces);
  },
};

function isTrace(object: JsonObject): boolean {
  const { observations } = object;
  return 'id' in object && 'timestamp' in object && Array.isArray(observations) && observations.every(isRecord);
}

function trialOf(trace: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const collector = new TraceCollector();
  const observations = distinct(listOf(trace.observations), collector).sort(
    (a, b) => (timeOf(a.startTime) ?? 0) - (timeOf(b.startTime) ?? 0),
  );
  collector.setTime(trace.timestamp);
  const builder = new ChatTraceBuilder(collector);
  const place = source.placeOf(line);
  for (const message of messagesOf(trace.input, 'user')) builder.add(message, place);
  const tools = observations.filter(({ type }) => type === 'TOOL');
  for (const tool of tools) addTool(tool, collector);
  if (typeof trace.output !== 'object') collector.words(trace, 'output', lost.answer, place);
  for (const message of messagesOf(trace.output, 'assistant')) builder.add(message, place);
  const generations = observations.filter(({ type }) => type === 'GENERATION');
  for (const generation of generations) addUsage(generation, builder);
  if (generations.length > 0) builder.addTotal({ usage: { usage: undefined }, costUsd: trace.totalCost }, place);
  const [startedAt, seconds] = [timeOf(trace.timestamp), amountOf(trace.latency)];
  if (startedAt !== undefined && seconds !== undefined) builder.addTime(startedAt, startedAt + seconds * 1_000);
  builder.finish();
  loseUnseen(observations, collector);
  collector.loseMissingAnswer();
  const scores = scoresOf(trace.scores);
  const checks = checksOf(scores, source.options.passAt);
  const model = generations.map(({ model: name }) => nameOf(name)).find((name) => name !== undefined);
  return {
    line,
    id: nameOf(trace.id),
    scenario: nameOf(trace.name),
    caseId: nameOf(trace.id),
    variant: model === undefined ? {} : { model },
    trace: collector.finish(),
    verdict: verdictOfChecks(checks),
    checks: checks.length > 1 ? checks : [],
    reports: tools.length > 0 ? ['tool-calls'] : [],
    startedAt,
    durationMs: seconds === undefined ? undefined : seconds * 1_000,
    costUsd: amountOf(trace.totalCost),
    metrics: figuresOf(scores),
  };
}

/** An observation that was exported twice counts once. */
function distinct(observations: readonly JsonObject[], { lose }: TraceCollector): JsonObject[] {
  const repeats = new Repeats();
  return observations.filter((observation) => {
    const id = nameOf(observation.id);
    const standing = repeats.standingOf(observation, id);
    if (standing === 'contradicted') lose(lost.everything, 'an observation is there twice, and differs', id);
    return standing !== 'again';
  });
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Inputs and outputs are texts, chats, or any JSON, also as text. */
function messagesOf(written: unknown, role: 'user' | 'assistant'): JsonObject[] {
  const data = typeof written === 'string' && /^\s*[[{]/.test(written) ? (parseJson(written) ?? written) : written;
  if (data === null || data === undefined) return [];
  const listed = Array.isArray(data) ? data : objectOf(data).messages;
  if (Array.isArray(listed) && listed.length > 0 && listed.every(isChatMessage)) return listed;
  if (isChatMessage(data)) return [data];
  return [{ role, content: typeof data === 'string' ? data : JSON.stringify(data) }];
}

function addTool(observation: JsonObject, collector: TraceCollector): void {
  const [started, ended] = [timeOf(observation.startTime), timeOf(observation.endTime)];
  const [callId, tool] = [nameOf(observation.id) ?? 'unknown', wordsOf(observation.name) ?? 'unknown'];
  if (tool === 'unknown') collector.lose(lost.call, 'a tool call has no name', callId);
  collector.setTime(observation.startTime);
  collector.emit({ type: 'tool-call', callId, tool, input: observation.input ?? {} });
  collector.setTime(observation.endTime);
  const durationMs = started === undefined || ended === undefined ? undefined : Math.max(0, ended - started);
  const message = nameOf(observation.statusMessage) ?? 'the tool failed';
  const answer = observation.level === 'ERROR' ? { error: { message } } : { result: observation.output ?? null };
  collector.emit({ type: 'tool-result', callId, durationMs, ...answer });
}

/** Kinds of observations that are neither calls of tools nor answers of models. */
const otherKinds = /^(?:SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/;

/** Calls that only the generations show, and observations of which it is not known what they are. */
function loseUnseen(observations: readonly JsonObject[], collector: TraceCollector): void {
  const unused = observations.filter(({ type }) => type === 'TOOL').map(({ name }) => nameOf(name));
  for (const { id, type, output } of observations) {
    const place = nameOf(id);
    const isKnown = type === 'TOOL' || type === 'GENERATION' || otherKinds.test(String(type));
    if (!isKnown) collector.lose(lost.everything, `an observation of the unknown type ${JSON.stringify(type)}`, place);
    if (type !== 'GENERATION') continue;
    for (const message of messagesOf(output, 'assistant')) {
      const { calls = [], losses = [] } = readMessage(message) ?? {};
      for (const { channels, reason } of losses) collector.lose(channels, reason, place);
      for (const call of calls) {
        const at = unused.indexOf(call.name);
        if (at === -1) collector.lose(lost.call, `a generation calls ${call.name}, which has no observation`, place);
        else unused.splice(at, 1);
      }
    }
  }
}

function addUsage(generation: JsonObject, builder: ChatTraceBuilder): void {
  const { promptTokens, completionTokens, calculatedTotalCost, totalPrice, costDetails } = generation;
  const usage = { promptTokens, completionTokens, ...objectOf(generation.usage), ...objectOf(generation.usageDetails) };
  const costUsd = calculatedTotalCost ?? objectOf(costDetails).total ?? totalPrice;
  builder.addRequest({ usage: readCounts(usage), costUsd, model: nameOf(generation.model) }, nameOf(generation.id));
}

function scoresOf(scores: unknown): NamedScore[] {
  if (scores === undefined || scores === null) return [];
  const list = Array.isArray(scores) ? scores : [scores];
  return list.map((score) => (isRecord(score) ? scoreOf(score) : { name: 'score', value: score, meaning: 'verdict' }));
}

/** A boolean score is 1 or 0, and a category is a word; a number alone is a figure. */
function scoreOf({ name, value, dataType, stringValue, comment }: JsonObject): NamedScore {
  const score = { name: nameOf(name) ?? 'score', reason: nameOf(comment) };
  if (dataType === 'CATEGORICAL') return { ...score, value: stringValue, isCategory: true };
  if (dataType !== 'BOOLEAN') return { ...score, value };
  return value === 0 || value === 1 ? { ...score, value: value === 1 } : { ...score, value, meaning: 'verdict' };
}
