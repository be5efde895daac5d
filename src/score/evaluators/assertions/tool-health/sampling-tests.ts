import { AssayError } from '../../../../domain/errors.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { containsText, meaningOfResult, textOfResult } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord, textsIn } from '../../../../shared/json.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { errorInWords, fail, inMs, type Judged, jsonText, pass } from './test-verdict.ts';

/** All observations of one call of a test. */
interface ObservedCall {
  /** Undefined: the call was not made. */
  readonly answer: TraceEventOf<'tool-result'> | undefined;
  /** Sampling requests of the server during the call, in order. */
  readonly requests: readonly TraceEventOf<'mcp-exchange'>[];
}

export function refuse(reason: string): never {
  throw new AssayError('CRITERION_UNUSABLE', `It could not be observed: ${reason}.`, {
    hint: 'Give the test a `tool` and `args` that make the server send the sampling request.',
  });
}

export function observedCalls(observed: ObservedTest): ObservedCall[] {
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

export function textOfAnswer({ result, error }: TraceEventOf<'tool-result'>): string {
  return error ? error.message : (textOfResult(result) ?? JSON.stringify(result) ?? '');
}

export function answerText({ result, error }: TraceEventOf<'tool-result'>): string {
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
  if (answer.error?.code === 'MCP_SERVER_TIMEOUT') return fail(`The tool ${answerText(answer)}`);
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
