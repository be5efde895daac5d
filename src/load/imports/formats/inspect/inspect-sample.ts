import { isRecord } from '../../../../shared/json.ts';
import { ChatTraceBuilder } from '../../chat-trace.ts';
import { amountOf, type JsonObject, nameOf, objectOf, timeOf } from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import type { RecordedCheck, RecordedVerdict } from '../../recorded-verdict.ts';
import { checksOf, figuresOf, type NamedScore, verdictOfChecks } from '../../score-verdict.ts';
import { TraceCollector } from '../../trace-collector.ts';

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
  const collector = new TraceCollector();
  collector.setTime(timeOf(sample.started_at));
  const builder = new ChatTraceBuilder(collector);
  const messages = Array.isArray(sample.messages) ? sample.messages : [];
  for (const [index, message] of messages.entries()) {
    if (builder.add(withAttachments(message, objectOf(sample.attachments)))) continue;
    source.problem(line, `message ${index + 1} of sample ${nameOf(sample.id)} is not valid`);
  }
  const model = nameOf(evaluation.model);
  addUsage(builder, sample, evaluation, model);
  builder.finish();
  if (collector.leftOut > 0) source.warning(line, `${collector.leftOut} events of a long sample were left out`);
  const scores = scoresIn(sample);
  const checks = checksOf(scores, source.options.passAt);
  const seconds = amountOf(sample.total_time);
  const agent = nameOf(evaluation.solver);
  return {
    line,
    scenario: nameOf(evaluation.task),
    caseId: nameOf(sample.id),
    repeat: amountOf(sample.epoch),
    variant: { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) },
    trace: collector.finish(),
    verdict: verdictIn(sample, checks),
    checks: checks.length > 1 ? checks : [],
    reports: messages.length > 0 ? ['tool-calls'] : [],
    startedAt: timeOf(sample.started_at) ?? timeOf(evaluation.created),
    durationMs: seconds === undefined ? undefined : seconds * 1_000,
    ...builder.usage,
    metrics: figuresOf(scores),
  };
}

/** Long texts are kept once per sample, and referred to. */
function withAttachments(value: unknown, attachments: JsonObject): unknown {
  if (typeof value === 'string') {
    const [, id] = /^attachment:\/\/(\w+)$/.exec(value) ?? [];
    return id === undefined ? value : (attachments[id] ?? value);
  }
  if (Array.isArray(value)) return value.map((part) => withAttachments(part, attachments));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withAttachments(part, attachments)]));
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

function verdictIn(sample: JsonObject, checks: readonly RecordedCheck[]): RecordedVerdict | undefined {
  const error = nameOf(objectOf(sample.error).message);
  if (error !== undefined) return { state: 'error', reason: `the sample ended with an error: ${error}` };
  if (isRecord(sample.invalidation)) {
    return {
      state: 'error',
      reason: `the sample was invalidated: ${nameOf(sample.invalidation.reason) ?? 'no reason given'}`,
    };
  }
  const verdict = verdictOfChecks(checks);
  const limit = nameOf(objectOf(sample.limit).type);
  return verdict && limit !== undefined
    ? { ...verdict, reason: `${verdict.reason}; ended by the ${limit} limit` }
    : verdict;
}

/** Tokens of the model under test. Those of graders are counted by their roles, even if it is the same model. */
function addUsage(
  builder: ChatTraceBuilder,
  sample: JsonObject,
  evaluation: JsonObject,
  model: string | undefined,
): void {
  const used = objectOf(objectOf(sample.model_usage)[model ?? '']);
  const roles = Object.entries(objectOf(evaluation.model_roles)).filter(
    ([, role]) => nameOf(objectOf(role).model) === model,
  );
  const ofRoles = roles.map(([role]) => objectOf(objectOf(sample.role_usage)[role]));
  const without = (...keys: readonly string[]): number | undefined => {
    const sum = (usage: JsonObject): number => keys.reduce((total, key) => total + (amountOf(usage[key]) ?? 0), 0);
    const own = keys[0] !== undefined && amountOf(used[keys[0]]) !== undefined ? sum(used) : undefined;
    return own === undefined ? undefined : Math.max(0, own - ofRoles.reduce((total, usage) => total + sum(usage), 0));
  };
  const costUsd = ofRoles.length === 0 ? amountOf(used.total_cost) : undefined;
  builder.countUsage({
    // Tokens that were read from a cache or written to it are not part of `input_tokens`.
    inputTokens: without('input_tokens', 'input_tokens_cache_read', 'input_tokens_cache_write'),
    outputTokens: without('output_tokens'),
    ...(model !== undefined && { model }),
    ...(costUsd !== undefined && { costUsd }),
  });
}
