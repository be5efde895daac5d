import { readUsage, sumOfUsage } from '../../../../domain/usage.ts';
import { finishGaps } from '../../../../drive/wire/finish.ts';
import { isRecord, mapTexts } from '../../../../shared/json.ts';
import type { RequestFigures } from '../../chat-trace.ts';
import { ChatTrial } from '../../chat-trial.ts';
import {
  amountOf,
  figureOf,
  type JsonObject,
  knownParts,
  msOfSeconds,
  nameOf,
  objectOf,
  timeOf,
} from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { lost } from '../../losses.ts';
import { type NamedScore, type RecordedVerdict, scored } from '../../score-verdict.ts';

/** Whether an object is a sample of an evaluation log. */
export function isSample(value: unknown): value is JsonObject {
  return isRecord(value) && 'id' in value && typeof value.epoch === 'number' && 'input' in value;
}

/** The trial of a sample; `header` has the members `eval` and `status` of its log. */
export function trialOfSample(
  sample: JsonObject,
  header: JsonObject,
  line: number,
  source: ImportSource,
): ImportedTrial {
  const evaluation = objectOf(header.eval);
  const trial = new ChatTrial(source, line, sample.started_at, `, sample ${nameOf(sample.id)}`);
  const { collector, chat, place } = trial;
  const attachments = objectOf(sample.attachments);
  const onMissing = (id: string) => collector.lose(lost.message, `the attachment ${id} is missing`, place);
  const messages = withAttachments(sample.messages, attachments, onMissing);
  trial.addAll(messages, (number) => `message ${number} of sample ${nameOf(sample.id)} is not valid`);
  const model = nameOf(evaluation.model);
  const figures = figuresIn(sample, evaluation, model);
  if (figures) chat.addTotal(figures, place);
  chat.finish();
  const [choice] = Array.isArray(objectOf(sample.output).choices) ? (objectOf(sample.output).choices as unknown[]) : [];
  for (const end of finishGaps(nameOf(objectOf(choice).stop_reason), true))
    collector.lose(end.channels, end.reason, place);
  const judged = scored(scoresIn(sample), source.options.passAt);
  return trial.finish({
    id: `${nameOf(evaluation.run_id)} ${nameOf(sample.id)} ${nameOf(sample.epoch)} ${nameOf(sample.uuid)}`,
    scenario: nameOf(evaluation.task),
    caseId: nameOf(sample.id),
    repeat: amountOf(sample.epoch),
    variant: knownParts({ agent: nameOf(evaluation.solver), model }),
    ...judged,
    verdict: verdictIn(sample, judged.verdict),
    reports: Array.isArray(sample.messages) && sample.messages.length > 0 ? ['tool-calls'] : [],
    startedAt: timeOf(sample.started_at) ?? timeOf(evaluation.created),
    durationMs: msOfSeconds(sample.total_time),
  });
}

/** Long texts are kept once per sample, and referred to. */
function withAttachments(value: unknown, attachments: JsonObject, onMissing: (id: string) => void): unknown {
  return mapTexts(value, (text) => {
    const [, id] = /^attachment:\/\/(\w+)$/.exec(text) ?? [];
    if (id !== undefined && attachments[id] === undefined) onMissing(id);
    return id === undefined ? text : (attachments[id] ?? text);
  });
}

/** A score has one value, or several by name. */
function scoresIn({ scores, score }: JsonObject): NamedScore[] {
  const all = isRecord(scores) ? scores : isRecord(score) ? { score } : {};
  return Object.entries(all).flatMap(([name, written]): NamedScore[] => {
    const { value, explanation } = objectOf(written);
    const reason = nameOf(explanation);
    if (!isRecord(value))
      return [
        { name, value, meaning: 'higher', ...(reason !== undefined && { reason: `${String(value)}: ${reason}` }) },
      ];
    return Object.entries(value).map(([part, single]) => ({
      name: `${name}.${part}`,
      value: single,
      meaning: 'higher',
    }));
  });
}

function verdictIn(sample: JsonObject, verdict: RecordedVerdict | undefined): RecordedVerdict | undefined {
  const error = nameOf(objectOf(sample.error).message);
  if (error !== undefined) return { state: 'error', reason: `the sample ended with an error: ${error}` };
  if (isRecord(sample.invalidation)) {
    return {
      state: 'error',
      reason: `the sample was invalidated: ${nameOf(sample.invalidation.reason) ?? 'no reason given'}`,
    };
  }
  const limit = nameOf(objectOf(sample.limit).type);
  return verdict && limit !== undefined
    ? { ...verdict, reason: `${verdict.reason}; ended by the ${limit} limit` }
    : verdict;
}

/** Tokens of the model under test. Those of graders are counted by their roles, even if it is the same model. */
function figuresIn(sample: JsonObject, evaluation: JsonObject, model: string | undefined): RequestFigures | undefined {
  const used = objectOf(sample.model_usage)[model ?? ''];
  if (!isRecord(used)) return undefined;
  const roles = Object.entries(objectOf(evaluation.model_roles)).filter(
    ([, role]) => nameOf(objectOf(role).model) === model,
  );
  const ofRoles = roles.map(([role]) => objectOf(sample.role_usage)[role]).filter(isRecord);
  const whole = readUsage(countsOf(used));
  if (ofRoles.length === 0 || !whole.usage) return { usage: whole, costUsd: used.total_cost, model };
  const others = sumOfUsage(ofRoles.map((usage) => readUsage(countsOf(usage)).usage ?? {})) ?? {};
  const without = (part: 'inputTokens' | 'outputTokens'): number | undefined =>
    whole.usage?.[part] === undefined || others[part] === undefined ? undefined : whole.usage[part] - others[part];
  return { usage: readUsage({ inputTokens: without('inputTokens'), outputTokens: without('outputTokens') }), model };
}

/** Tokens that were read from a cache or written to it are not part of `input_tokens`, unless the total says so. */
function countsOf(usage: JsonObject) {
  const { input_tokens: fresh, output_tokens: output, total_tokens: total } = usage;
  const [read, written] = [usage.input_tokens_cache_read, usage.input_tokens_cache_write];
  const cached = (figureOf(read) ?? 0) + (figureOf(written) ?? 0);
  const isInside = total !== undefined && total === (figureOf(fresh) ?? 0) + (figureOf(output) ?? 0);
  return {
    inputTokens: typeof fresh === 'number' && !isInside ? fresh + cached : fresh,
    cachedInputTokens: read,
    cacheWriteInputTokens: written,
    outputTokens: output,
    reasoningTokens: usage.reasoning_tokens,
    totalTokens: total,
  };
}
