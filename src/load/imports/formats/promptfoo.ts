import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { contentKey } from '../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { isChatMessage } from '../chat-message.ts';
import { ChatTrial } from '../chat-trial.ts';
import { amountOf, figureOf, type JsonObject, knownParts, nameOf, objectOf, parseJson } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { someObject } from '../sample.ts';
import type { RecordedCheck, RecordedVerdict } from '../score-verdict.ts';

/** Of `failureReason`: the provider or an assertion broke, so nothing was judged. */
const failedByError = 2;

/** Results of `promptfoo eval -o results.json` or `.jsonl`: one test with one prompt and one provider is a trial. */
export const promptfoo: ImportFormat = {
  name: 'promptfoo',
  summary: 'results of promptfoo (eval --output, JSON or JSON Lines)',
  reports: [],
  recognises: (sample) => someObject(sample, isResult) || /"(?:promptIdx|gradingResult)"\s*:/.test(sample.text),
  lacks: ({ text }) => (/"evalId"\s*:/.test(text) ? 'results with `promptIdx` and `success`' : undefined),
  async *read(source) {
    const cases = new CaseNames();
    const prompts = new Set<string>();
    let [results, head]: [number, JsonObject] = [0, {}];
    for await (const { value, line, key, head: members } of source.records(
      'results',
      'results.results',
      'results.prompts',
      'results.table',
    )) {
      head = members;
      if (key?.endsWith('results')) results++;
      if (key === 'results.prompts') prompts.add(nameOf(objectOf(value).raw) ?? '');
      else if (isRecord(value) && isResult(value)) yield trialIn(value, line, cases, prompts.size !== 1, source);
      else if (key === undefined || key.endsWith('results')) {
        source.problem(line, 'not a result: `success` with `promptIdx`, `testCase`, or `prompt` and `vars` is missing');
      }
    }
    const { successes, failures, errors } = objectOf(head['results.stats'] ?? head.stats);
    source.expectCount('result', [successes, failures, errors], results);
  },
};

/** Files of version 2 and before have neither the number of a prompt nor the test. */
function isResult(object: JsonObject): boolean {
  if (typeof object.success !== 'boolean') return false;
  const isOlder = typeof objectOf(object.prompt).raw === 'string' && isRecord(object.vars);
  return 'promptIdx' in object || isRecord(object.testCase) || isOlder;
}

/** Repeats of a test have the same content and other numbers; two tests may have the same description. */
class CaseNames {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  nameOf(result: JsonObject): string {
    const test = objectOf(result.testCase);
    const description = nameOf(test.description) ?? nameOf(result.description);
    const key = contentKey([
      canonicalJson([description ?? null, test.vars ?? result.vars ?? null, test.assert ?? null]),
    ]);
    const named = this.#names.get(key);
    if (named !== undefined) return named;
    const number = `test-${(amountOf(result.testIdx) ?? this.#names.size) + 1}`;
    const name =
      description === undefined ? number : this.#taken.has(description) ? `${description} (${number})` : description;
    this.#taken.add(name);
    this.#names.set(key, name);
    return name;
  }
}

function trialIn(
  result: JsonObject,
  line: number,
  cases: CaseNames,
  hasPrompts: boolean,
  source: ImportSource,
): ImportedTrial {
  const trial = new ChatTrial(source, line, result.createdAt ?? result.timestamp);
  const { collector, chat, place } = trial;
  const response = objectOf(result.response);
  for (const message of promptMessages(objectOf(result.prompt).raw)) chat.add(message);
  const answer = answerOf(response.output);
  if (answer) chat.add(answer);
  const costUsd = result.cost ?? response.cost;
  const usage = isRecord(response.tokenUsage) ? readCounts(response.tokenUsage) : { usage: undefined };
  chat.addTotal({ usage, costUsd }, place);
  chat.finish();
  collector.loseMissingAnswer();
  const checks = checksIn(result);
  const score = figureOf(result.score);
  return trial.finish({
    id: nameOf(result.id),
    caseId: cases.nameOf(result),
    variant: variantIn(result, hasPrompts),
    verdict: verdictIn(result, checks, score),
    checks,
    durationMs: amountOf(result.latencyMs),
    costUsd: amountOf(costUsd),
    metrics: { ...(score !== undefined && { score }), ...namedScores(result.namedScores) },
  });
}

/** A prompt is a text, or a conversation as JSON. */
function promptMessages(raw: unknown): JsonObject[] {
  const text = nameOf(raw);
  if (text === undefined) return [];
  const parsed = /^\s*\[/.test(text) ? parseJson(text) : undefined;
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.every(isChatMessage)) return parsed;
  return [{ role: 'user', content: text }];
}

/** An answer is a text, the tool calls of the model, or any JSON. */
function answerOf(output: unknown): JsonObject | undefined {
  if (output === undefined || output === null) return undefined;
  if (typeof output === 'string') return { role: 'assistant', content: output };
  const isCall = (call: unknown): boolean =>
    isRecord(call) && (isRecord(call.function) || call.type === 'function' || call.type === 'tool_use');
  return Array.isArray(output) && output.some(isCall)
    ? { role: 'assistant', content: null, tool_calls: output }
    : { role: 'assistant', content: JSON.stringify(output) };
}

function checksIn(result: JsonObject): RecordedCheck[] {
  const { componentResults } = objectOf(result.gradingResult);
  const components = Array.isArray(componentResults) ? componentResults.map(objectOf) : [];
  return components.map((component): RecordedCheck => {
    const value = figureOf(component.score);
    const name = nameOf(objectOf(component.assertion).type) ?? 'assertion';
    const state = component.pass === true ? 'pass' : component.pass === false ? 'fail' : 'error';
    return { name, state, reason: nameOf(component.reason) ?? state, ...(value !== undefined && { value }) };
  });
}

/** A test without assertions passes in promptfoo whatever was answered, which is not a verdict. */
function verdictIn(
  result: JsonObject,
  checks: readonly RecordedCheck[],
  score: number | undefined,
): RecordedVerdict | undefined {
  const grading = objectOf(result.gradingResult);
  const error = nameOf(result.error) ?? nameOf(objectOf(result.response).error);
  const contradiction = contradictionIn(result, grading, error);
  if (contradiction !== undefined) return { state: 'error', reason: `the file says both ${contradiction}` };
  const isUngraded = checks.length === 0 && !isRecord(result.gradingResult);
  if (result.failureReason === failedByError || (error !== undefined && isUngraded && result.success !== true)) {
    return { state: 'error', reason: `promptfoo could not judge it: ${error ?? 'it reports an error'}` };
  }
  if (result.success === true && !isAsserted(result, checks))
    return { state: 'skipped', reason: 'the test has no assertions' };
  const state = result.success === true ? 'pass' : 'fail';
  const reason = nameOf(grading.reason) ?? error ?? `\`success\` is ${result.success} in the file`;
  return { state, reason, ...(score !== undefined && { value: score }) };
}

/** Without the test, that a reason was given which is not the one for no assertions. */
function isAsserted({ testCase, gradingResult }: JsonObject, checks: readonly RecordedCheck[]): boolean {
  if (checks.length > 0) return true;
  const { assert: assertions } = objectOf(testCase);
  if (isRecord(testCase)) return Array.isArray(assertions) && assertions.length > 0;
  const { reason } = objectOf(gradingResult);
  return typeof reason === 'string' && reason !== 'No assertions';
}

function contradictionIn(result: JsonObject, grading: JsonObject, error: string | undefined): string | undefined {
  const { success, failureReason } = result;
  const { pass } = grading;
  if (pass !== undefined && pass !== success) return `\`success: ${success}\` and \`gradingResult.pass: ${pass}\``;
  if (success !== true) return undefined;
  if (error !== undefined) return `\`success: true\` and an error: ${error}`;
  return failureReason === undefined || failureReason === 0
    ? undefined
    : `\`success: true\` and \`failureReason: ${String(failureReason)}\``;
}

const longestLabel = 60;

/** Labels of prompts are often the prompts themselves. */
function variantIn(result: JsonObject, hasPrompts: boolean): ImportedTrial['variant'] {
  const { provider, prompt } = result;
  const model = nameOf(provider) ?? nameOf(objectOf(provider).label) ?? nameOf(objectOf(provider).id);
  const { label, raw } = objectOf(prompt);
  const named = nameOf(label);
  const isShort = named !== undefined && named.length <= longestLabel && !named.includes('\n');
  const template = nameOf(result.promptId) ?? named ?? nameOf(raw);
  const guidance = isShort
    ? named
    : template === undefined
      ? undefined
      : `prompt ${contentKey([template]).slice(0, 8)}`;
  return knownParts({ model, guidance: hasPrompts ? guidance : undefined });
}

function namedScores(scores: unknown): Record<string, number> {
  const figures = Object.entries(objectOf(scores)).map(([name, value]) => [name, figureOf(value)]);
  return knownParts(Object.fromEntries(figures));
}
