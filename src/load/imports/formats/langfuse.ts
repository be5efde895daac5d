import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { isChatMessage, readMessage } from '../chat-message.ts';
import { ChatTrial } from '../chat-trial.ts';
import {
  amountOf,
  type JsonObject,
  knownParts,
  msOfSeconds,
  nameOf,
  objectOf,
  objectsIn,
  parseJson,
  timeOf,
} from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { type NamedScore, scored } from '../score-verdict.ts';
import type { TraceCollector } from '../trace-collector.ts';

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
    for await (const { value, line, head: members } of source.records('data', 'traces')) {
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

function trialOf(written: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const trial = new ChatTrial(source, line, written.timestamp);
  const { collector, chat, place } = trial;
  const observations = distinct(objectsIn(written.observations), collector).sort(
    (a, b) => (timeOf(a.startTime) ?? 0) - (timeOf(b.startTime) ?? 0),
  );
  for (const message of messagesOf(written.input, 'user')) chat.add(message, place);
  const tools = observations.filter(({ type }) => type === 'TOOL');
  for (const { id, name, input, output, level, statusMessage, startTime: startedAt, endTime: endedAt } of tools) {
    const message = nameOf(statusMessage) ?? 'the tool failed';
    const answer = level === 'ERROR' ? { error: { message } } : { result: output ?? null };
    trial.addTool({ id, name, input, answer, startedAt, endedAt });
  }
  if (typeof written.output !== 'object') collector.words(written, 'output', lost.answer, place);
  for (const message of messagesOf(written.output, 'assistant')) chat.add(message, place);
  const generations = observations.filter(({ type }) => type === 'GENERATION');
  for (const generation of generations) chat.addRequest(figuresOf(generation), nameOf(generation.id));
  if (generations.length > 0) chat.addTotal({ usage: { usage: undefined }, costUsd: written.totalCost }, place);
  const [startedAt, durationMs] = [timeOf(written.timestamp), msOfSeconds(written.latency)];
  if (startedAt !== undefined && durationMs !== undefined) chat.addTime(startedAt, startedAt + durationMs);
  chat.finish();
  loseUnseen(observations, trial);
  collector.loseMissingAnswer();
  return trial.finish({
    id: nameOf(written.id),
    scenario: nameOf(written.name),
    caseId: nameOf(written.id),
    variant: knownParts({ model: generations.map(({ model }) => nameOf(model)).find((name) => name !== undefined) }),
    reports: tools.length > 0 ? ['tool-calls'] : [],
    startedAt,
    durationMs,
    costUsd: amountOf(written.totalCost),
    ...scored(scoresOf(written.scores), source.options.passAt),
  });
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

/** Inputs and outputs are texts, chats, or any JSON, also as text. */
function messagesOf(written: unknown, role: 'user' | 'assistant'): JsonObject[] {
  const data = typeof written === 'string' && /^\s*[[{]/.test(written) ? (parseJson(written) ?? written) : written;
  if (data === null || data === undefined) return [];
  const listed = Array.isArray(data) ? data : objectOf(data).messages;
  if (Array.isArray(listed) && listed.length > 0 && listed.every(isChatMessage)) return listed;
  if (isChatMessage(data)) return [data];
  return [{ role, content: typeof data === 'string' ? data : JSON.stringify(data) }];
}

/** Kinds of observations that are neither calls of tools nor answers of models. */
const otherKinds = /^(?:SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/;

/** Calls that only the generations show, and observations of which it is not known what they are. */
function loseUnseen(observations: readonly JsonObject[], trial: ChatTrial): void {
  const { lose } = trial.collector;
  for (const { id, type, output } of observations) {
    const place = nameOf(id);
    const isKnown = type === 'TOOL' || type === 'GENERATION' || otherKinds.test(String(type));
    if (!isKnown) lose(lost.everything, `an observation of the unknown type ${JSON.stringify(type)}`, place);
    if (type !== 'GENERATION') continue;
    for (const message of messagesOf(output, 'assistant')) {
      const { calls = [], losses = [] } = readMessage(message) ?? {};
      for (const { channels, reason } of losses) lose(channels, reason, place);
      for (const { name } of calls)
        trial.expectTool(name, `a generation calls ${name}, which has no observation`, place);
    }
  }
}

function figuresOf(generation: JsonObject) {
  const { promptTokens, completionTokens, calculatedTotalCost, totalPrice, costDetails } = generation;
  const usage = { promptTokens, completionTokens, ...objectOf(generation.usage), ...objectOf(generation.usageDetails) };
  const costUsd = calculatedTotalCost ?? objectOf(costDetails).total ?? totalPrice;
  return { usage: readCounts(usage), costUsd, model: nameOf(generation.model) };
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
