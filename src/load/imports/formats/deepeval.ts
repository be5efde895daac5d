import { isRecord } from '../../../shared/json.ts';
import { ChatTrial } from '../chat-trial.ts';
import { amountOf, figureOf, type JsonObject, knownParts, msOfSeconds, nameOf, objectOf, wordsOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { type RecordedCheck, type RecordedVerdict, verdictOfChecks } from '../score-verdict.ts';

const listKeys = [
  ...['testCases', 'test_cases', 'conversationalTestCases', 'conversational_test_cases'],
  ...['testRunData.testCases', 'testRunData.conversationalTestCases'],
  ...['test_run_data.test_cases', 'test_run_data.conversational_test_cases', 'test_results'],
];

/** Test runs of DeepEval: each test case is a trial, and its metrics are the checks. */
export const deepeval: ImportFormat = {
  name: 'deepeval',
  summary: 'test runs of DeepEval',
  reports: [],
  recognises: (sample) => someObject(sample, isTestCase) || /"metrics(?:Data|_data)"\s*:/.test(sample.text),
  lacks: ({ text }) =>
    /"(?:testCases|test_cases)"\s*:/.test(text) ? 'test cases with `metricsData` (or `metrics_data`)' : undefined,
  async *read(source) {
    let cases = 0;
    let head: JsonObject = {};
    for await (const { value, line, key, head: members } of source.records(...listKeys)) {
      head = members;
      cases++;
      if (isRecord(value) && isTestCase(value)) yield trialOf(value, line, source);
      else
        source.problem(
          line,
          key === undefined ? '`testCases` is missing' : 'not a test case: `metricsData` is missing',
        );
    }
    const run = objectOf(head.testRunData ?? head.test_run_data ?? head);
    source.expectCount('test case', [field(run, 'testPassed'), field(run, 'testFailed')], cases);
  },
};

/** Versions of the program differ in how they write names. */
function field(object: JsonObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function isTestCase(object: JsonObject): boolean {
  return Array.isArray(field(object, 'metricsData')) && ('input' in object || 'turns' in object || 'success' in object);
}

function trialOf(test: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const trial = new ChatTrial(source, line);
  const { collector, chat, place } = trial;
  trial.addAll(test.turns, (number) => `turn ${number} is not valid`);
  const [input, output] = [nameOf(test.input), wordsOf(field(test, 'actualOutput'))];
  if (input !== undefined) chat.add({ role: 'user', content: input });
  const tools = field(test, 'toolsCalled') ?? undefined;
  const calls = Array.isArray(tools) ? tools : [];
  if (tools !== undefined)
    chat.add({ role: 'assistant', content: null, tool_calls: calls.length > 0 ? calls.map(callOf) : tools }, place);
  for (const [index, call] of calls.entries()) {
    const { output } = objectOf(call);
    if (output !== undefined && output !== null)
      chat.add({ role: 'tool', tool_call_id: callId(index), content: textOf(output) }, place);
  }
  if (output !== undefined) chat.add({ role: 'assistant', content: output });
  chat.finish();
  if (output === undefined && !Array.isArray(test.turns))
    collector.lose(lost.everything, 'no answer was recorded', place);
  const checks = checksIn(test);
  return trial.finish({
    id: test.order === undefined ? undefined : `${source.file} ${nameOf(test.order)} ${nameOf(test.name)}`,
    caseId: nameOf(test.name) ?? `test-${(amountOf(test.order) ?? line) + 1}`,
    verdict: verdictIn(test, checks),
    checks,
    durationMs: msOfSeconds(field(test, 'completionTime')),
    metrics: knownParts(Object.fromEntries(checks.map(({ name, value }) => [name, value]))),
  });
}

function callId(index: number): string {
  return `call-${index + 1}`;
}

function callOf(call: unknown, index: number): unknown {
  if (!isRecord(call)) return call;
  return { id: callId(index), name: call.name, arguments: field(call, 'inputParameters') ?? {} };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A metric that broke could not be judged. */
function checksIn(test: JsonObject): RecordedCheck[] {
  const metrics = field(test, 'metricsData');
  return (Array.isArray(metrics) ? metrics : []).map(objectOf).map((metric): RecordedCheck => {
    const name = nameOf(metric.name) ?? 'metric';
    const value = figureOf(metric.score);
    const error = nameOf(metric.error);
    if (error !== undefined) return { name, state: 'error', reason: error };
    const state = metric.success === true ? 'pass' : metric.success === false ? 'fail' : 'error';
    const limit = figureOf(metric.threshold);
    const reason =
      nameOf(metric.reason) ?? `score ${value ?? 'unknown'}${limit === undefined ? '' : ` of at least ${limit}`}`;
    return { name, state, reason, ...(value !== undefined && { value }) };
  });
}

/** A test without metrics succeeds in DeepEval, which is not a verdict; a file that contradicts itself has none either. */
function verdictIn(test: JsonObject, checks: readonly RecordedCheck[]): RecordedVerdict | undefined {
  const verdict = verdictOfChecks(checks);
  if (!verdict && test.success !== false) return undefined;
  const isPass = verdict?.state === 'pass';
  const isContradicted =
    !verdict || (typeof test.success === 'boolean' && test.success !== isPass && verdict.state !== 'error');
  if (!isContradicted) return verdict;
  const failed = verdict ? `a failed metric (${verdict.reason})` : 'no metric';
  const metrics = isPass ? 'passed metrics only' : failed;
  return { state: 'error', reason: `the file says both \`success: ${test.success}\` and ${metrics}` };
}
