import { isRecord } from '../../../shared/json.ts';
import { ChatTraceBuilder, isChatMessage } from '../chat-trace.ts';
import { amountOf, type JsonObject, nameOf, objectOf, parseJson, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
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
    const ids = new Set<string>();
    for await (const { value, line } of source.records(listKeys)) {
      const id = isRecord(value) ? nameOf(value.id) : undefined;
      if (!isRecord(value) || !isTrace(value)) {
        source.problem(line, 'not a trace: `timestamp` or `observations` (a list of objects) is missing');
      } else if (id !== undefined && ids.has(id)) source.warning(line, `trace ${id} is there twice and counts once`);
      else yield trialOf(value, line, source.options.passAt);
      if (id !== undefined) ids.add(id);
    }
  },
};

function isTrace(object: JsonObject): boolean {
  const { observations } = object;
  return 'id' in object && 'timestamp' in object && Array.isArray(observations) && observations.every(isRecord);
}

function trialOf(trace: JsonObject, line: number, passAt: number | undefined): ImportedTrial {
  const observations = listOf(trace.observations).sort(
    (a, b) => (timeOf(a.startTime) ?? 0) - (timeOf(b.startTime) ?? 0),
  );
  const collector = new TraceCollector();
  collector.setTime(timeOf(trace.timestamp));
  const builder = new ChatTraceBuilder(collector);
  for (const message of messagesOf(trace.input, 'user')) builder.add(message);
  const tools = observations.filter(({ type }) => type === 'TOOL');
  for (const tool of tools) addTool(tool, collector);
  for (const message of messagesOf(trace.output, 'assistant')) builder.add(message);
  const generations = observations.filter(({ type }) => type === 'GENERATION');
  for (const generation of generations) addUsage(generation, builder);
  builder.finish();
  const scores = listOf(trace.scores).map(scoreOf);
  const checks = checksOf(scores, passAt);
  const model = generations.map(({ model: name }) => nameOf(name)).find((name) => name !== undefined);
  const seconds = amountOf(trace.latency);
  return {
    line,
    scenario: nameOf(trace.name),
    caseId: nameOf(trace.id),
    variant: model === undefined ? {} : { model },
    trace: collector.finish(),
    verdict: verdictOfChecks(checks),
    checks: checks.length > 1 ? checks : [],
    reports: tools.length > 0 ? ['tool-calls'] : [],
    startedAt: timeOf(trace.timestamp),
    durationMs: seconds === undefined ? undefined : seconds * 1_000,
    costUsd: amountOf(trace.totalCost),
    ...builder.usage,
    metrics: figuresOf(scores),
  };
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
  const [callId, tool] = [nameOf(observation.id) ?? 'unknown', nameOf(observation.name) ?? 'unknown'];
  collector.setTime(started);
  collector.emit({ type: 'tool-call', callId, tool, input: observation.input ?? {} });
  collector.setTime(ended);
  const durationMs = started === undefined || ended === undefined ? undefined : Math.max(0, ended - started);
  const message = nameOf(observation.statusMessage) ?? 'the tool failed';
  const answer = observation.level === 'ERROR' ? { error: { message } } : { result: observation.output ?? null };
  collector.emit({ type: 'tool-result', callId, durationMs, ...answer });
}

function addUsage(generation: JsonObject, builder: ChatTraceBuilder): void {
  const usage = { ...objectOf(generation.usage), ...objectOf(generation.usageDetails) };
  const model = nameOf(generation.model);
  const costUsd = amountOf(
    generation.calculatedTotalCost,
    objectOf(generation.costDetails).total,
    generation.totalPrice,
  );
  builder.countUsage({
    inputTokens: amountOf(usage.input, generation.promptTokens),
    outputTokens: amountOf(usage.output, generation.completionTokens),
    ...(model !== undefined && { model }),
    ...(costUsd !== undefined && { costUsd }),
  });
}

/** A boolean score is 1 or 0, and a category is a word; a number alone is a figure. */
function scoreOf({ name, value, dataType, stringValue, comment }: JsonObject): NamedScore {
  const score = { name: nameOf(name) ?? 'score', reason: nameOf(comment) };
  if (dataType === 'CATEGORICAL') return { ...score, value: stringValue, isCategory: true };
  if (dataType !== 'BOOLEAN') return { ...score, value };
  return value === 0 || value === 1 ? { ...score, value: value === 1 } : { ...score, value, meaning: 'verdict' };
}
