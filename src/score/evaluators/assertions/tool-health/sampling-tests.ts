import { AssayError } from '../../../../domain/errors.ts';
import { contentProbes, type SamplingProbe, securityProbes } from '../../../../domain/mcp/sampling-tests.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { containsText, meaningOfResult, textOfResult } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { messageDifference, refuseAbsentFeature } from './reply-checks.ts';
import { errorInWords, fail, inMs, type Judged, jsonText, pass, timeOf } from './test-verdict.ts';

/** All observations of one call of a test. */
interface ObservedCall {
  /** Undefined: the call was not made. */
  readonly answer: TraceEventOf<'tool-result'> | undefined;
  /** Sampling requests of the server during the call, in order. */
  readonly requests: readonly TraceEventOf<'mcp-exchange'>[];
}

/** A part of a test that is not as expected, or that could not be observed. */
type Problem = { readonly failure: string } | { readonly unobserved: string };

/** Judges refused requests and the data that a server sends to the model of its client. */
export function judgeSecurity(observed: ObservedTest<SuiteTestOf<'sampling-security'>>): Judged {
  return judgeProbes(observed, securityProbes(observed.test.spec));
}

/** Judges the handling of content in the answers of the model. */
export function judgeContent(observed: ObservedTest<SuiteTestOf<'sampling-content'>>): Judged {
  return judgeProbes(observed, contentProbes(observed.test.spec));
}

/** A failure decides; a part that could not be observed keeps the rest from being a pass. */
function judgeProbes(observed: ObservedTest, probes: readonly SamplingProbe[]): Judged {
  const calls = observedCalls(observed);
  const problems = probes.flatMap((probe, index) => {
    const problem = problemOf(probe, calls[index]);
    return problem ? [{ about: probe.about, ...problem }] : [];
  });
  const failed = problems.find((problem) => 'failure' in problem);
  if (failed && 'failure' in failed) return fail(`${failed.about}: ${failed.failure}`);
  for (const problem of problems) if ('unobserved' in problem) refuse(`${problem.about}: ${problem.unobserved}`);
  return pass(`${counted(probes.length, 'call')} as expected in ${timeOf(observed.ended)}`);
}

function refuse(reason: string): never {
  throw new AssayError('CRITERION_UNUSABLE', `It could not be observed: ${reason}.`, {
    hint: 'Give the test a `tool` and `args` that make the server send the sampling request.',
  });
}

function observedCalls(observed: ObservedTest): ObservedCall[] {
  const made: unknown[] = Array.isArray(observed.ended.observed) ? observed.ended.observed : [];
  const requests = exchangesOf(observed, 'sampling/createMessage');
  let next = 0;
  return made.filter(isRecord).map((call) => {
    const first = next;
    next += Number(call.requests);
    const answer = observed.answers.find(({ callId }) => callId === call.callId);
    return { answer, requests: requests.slice(first, next) };
  });
}

function problemOf({ problem, expected }: SamplingProbe, call: ObservedCall | undefined): Problem | undefined {
  if (problem !== undefined) return { unobserved: problem };
  if (!call?.answer) return { unobserved: 'no answer of the tool is on record' };
  if (call.requests.length === 0) {
    return { unobserved: `the server sent no sampling request; the tool ${answerText(call.answer)}` };
  }
  if (hasTimedOut(call.answer)) return { failure: `the tool ${answerText(call.answer)}` };
  switch (expected.kind) {
    case 'refusal':
    case 'approval':
      return problemOfRequest(expected, call.answer, call);
    case 'data':
      return problemOfData(expected, call);
    case 'handling':
      return problemOfHandling(expected, call.answer);
  }
}

/** No answer is neither a refusal nor a result. */
function hasTimedOut({ error }: TraceEventOf<'tool-result'>): boolean {
  return error?.code === 'MCP_SERVER_TIMEOUT';
}

type Expected<Kind extends SamplingProbe['expected']['kind']> = Extract<SamplingProbe['expected'], { kind: Kind }>;

function problemOfRequest(
  { kind, messages }: Expected<'refusal' | 'approval'>,
  answer: TraceEventOf<'tool-result'>,
  { requests }: ObservedCall,
): Problem | undefined {
  const differences = requests.map(({ params }) => messageDifference(messages, messagesOf(params)));
  const matching = differences.filter((difference) => difference === undefined).length;
  if (matching === 0) return { unobserved: `the server sent another request: ${differences[0]}` };
  if (kind === 'approval') {
    return answer.error ? { failure: `it was approved, and the tool ${answerText(answer)}` } : undefined;
  }
  if (matching > 1) return { failure: `the server sent the refused request ${matching} times` };
  return undefined;
}

function messagesOf(params: unknown): unknown[] {
  return isRecord(params) && Array.isArray(params.messages) ? params.messages : [];
}

function problemOfData({ texts, isSent }: Expected<'data'>, { requests }: ObservedCall): Problem | undefined {
  const sent = requests.flatMap(({ params }) => textsIn(params)).join('\n');
  const found = texts.filter((text) => containsText(sent, text));
  if (!isSent && found.length > 0) return { failure: `the server sent ${jsonText(found[0])} to the model` };
  const missing = texts.find((text) => !found.includes(text));
  if (isSent && missing !== undefined) return { failure: `the server did not send ${jsonText(missing)} to the model` };
  return undefined;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

function problemOfHandling(
  { handling, response }: Expected<'handling'>,
  answer: TraceEventOf<'tool-result'>,
): Problem | undefined {
  if (handling === 'reject') {
    if (answer.error) refuseAbsentFeature(answer.error);
    return answer.error ? undefined : { failure: `expected an error, and the tool ${answerText(answer)}` };
  }
  if (answer.error) return { failure: `expected a result, and the tool ${answerText(answer)}` };
  if (response === undefined || containsText(textOfAnswer(answer), response)) return undefined;
  return { failure: `expected a result that contains ${jsonText(response)}, and the tool ${answerText(answer)}` };
}

function textOfAnswer({ result, error }: TraceEventOf<'tool-result'>): string {
  return error ? error.message : (textOfResult(result) ?? JSON.stringify(result) ?? '');
}

function answerText({ result, error }: TraceEventOf<'tool-result'>): string {
  return error ? `failed: ${errorInWords(error)}` : `answered ${jsonText(meaningOfResult(result))}`;
}

/** A message of the server in a workflow: a request, or the answer of the tool in the end. */
interface ServerMessage {
  readonly isRequest: boolean;
  readonly text: string;
  readonly at: number;
}

/** Judges what a server sent after each answer, and how the call ended. */
export function judgeSamplingWorkflow(observed: ObservedTest<SuiteTestOf<'sampling-workflow'>>): Judged {
  const { spec } = observed.test;
  const [call] = observedCalls(observed);
  const answer = call?.answer;
  if (!call || !answer) return refuse('no answer of the tool is on record');
  if (call.requests.length === 0) refuse(`the server sent no sampling request; the tool ${answerText(answer)}`);
  if (hasTimedOut(answer)) return fail(`The tool ${answerText(answer)}`);
  const failure = failureOfSteps(spec.steps, messagesIn(call.requests, answer), answer.at - (answer.durationMs ?? 0));
  if (failure !== undefined) return fail(failure);
  if (spec.expectSuccess === (answer.error === undefined)) {
    return pass(`${counted(spec.steps.length, 'step')} as expected; the tool ${answerText(answer)}`);
  }
  return fail(`Expected ${spec.expectSuccess ? 'a result' : 'an error'}, and the tool ${answerText(answer)}`);
}

function messagesIn(requests: ObservedCall['requests'], answer: TraceEventOf<'tool-result'>): ServerMessage[] {
  return [
    ...requests.map(({ params, at }) => ({ isRequest: true, text: textsIn(params).join('\n'), at })),
    { isRequest: false, text: textOfAnswer(answer), at: answer.at },
  ];
}

/** A step that answers a request is about the message after it, any other about the message that has arrived. */
function failureOfSteps(
  steps: SuiteTestOf<'sampling-workflow'>['spec']['steps'],
  messages: readonly ServerMessage[],
  began: number,
): string | undefined {
  let position = 0;
  for (const [index, { userResponse, expectedOutcome, timeoutMs }] of steps.entries()) {
    const label = `Step ${index + 1}`;
    if (userResponse !== undefined && !messages[position]?.isRequest) {
      refuse(`step ${index + 1} answers request ${position + 1} of the server, which did not send it`);
    }
    if (userResponse !== undefined) position++;
    const message = messages[position];
    if (!message) return `${label}: the server sent nothing`;
    if (expectedOutcome !== undefined && !containsText(message.text, expectedOutcome)) {
      return `${label}: expected ${jsonText(expectedOutcome)} in ${message.isRequest ? 'the request' : 'the answer of the tool'}, got ${jsonText(message.text)}`;
    }
    const tookMs = message.at - (messages[position - 1]?.at ?? began);
    if (timeoutMs !== undefined && tookMs > timeoutMs) return `${label} took ${inMs(tookMs)}, limit ${inMs(timeoutMs)}`;
  }
  return undefined;
}
