import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { containsText, differenceOfValues, meaningOfResult } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { judgeLatency, judgeReply, judgeResult, messageDifference } from './reply-checks.ts';
import {
  errorInWords,
  fail,
  inMs,
  inWords,
  type Judged,
  jsonText,
  pass,
  refuseUnanswered,
  timeOf,
} from './test-verdict.ts';

const sampling = 'sampling/createMessage';

/** Requests that every server has to answer: of the older protocol and of the newer one. */
const aliveMethods = ['ping', 'server/discover'];

/** Judges whether the server takes a client with, or without, a model. */
export function judgeCapability(observed: ObservedTest<SuiteTestOf<'sampling-capability'>>): Judged {
  const { test, ended } = observed;
  const [alive] = aliveMethods.flatMap((method) => exchangesOf(observed, method)).slice(-1);
  const client = test.spec.expectedCapability ? 'a client that offers sampling' : 'a client without sampling';
  const summary = `The server works with ${client} (${timeOf(ended)})`;
  return judgeReply(test.spec, alive, ended, { value: undefined, check: () => undefined, summary });
}

/** Judges the sampling requests of the server and the result of the call. */
export function judgeSampling(observed: ObservedTest<SuiteTestOf<'sampling-request'>>): Judged {
  const { spec } = observed.test;
  const requests = exchangesOf(observed, sampling);
  if (spec.expectUserApproval === false && requests.length > 0) {
    return fail(`The server sent ${counted(requests.length, 'sampling request')}, expected none`);
  }
  const differences = requests.map(({ params }) => samplingDifference(spec, isRecord(params) ? params : {}));
  return (
    judgeMissingRequest(observed, sampling, spec.expectUserApproval !== false) ??
    (differences.length > 0 && !differences.includes(undefined) ? fail(differences[0] ?? '') : undefined) ??
    judgeToolUse(spec, requests) ??
    judgeAnswer(observed, spec.simulateUserResponse === 'reject')
  );
}

type SamplingSpec = SuiteTestOf<'sampling-request'>['spec'];

function samplingDifference(spec: SamplingSpec, params: Record<string, unknown>): string | undefined {
  const messages = Array.isArray(params.messages) ? params.messages : [];
  const inMessages = messageDifference(spec.messages ?? [], messages);
  if (inMessages !== undefined) return inMessages;
  const missing = missingTool(spec.tools ?? [], params.tools);
  if (missing !== undefined) return missing;
  const { modelPreferences, maxTokens, systemPrompt } = spec;
  const wanted = { ...(modelPreferences && { modelPreferences }), ...(maxTokens !== undefined && { maxTokens }) };
  const difference = differenceOfValues(wanted, params, 'subset');
  if (difference) return inWords(difference);
  if (systemPrompt === undefined || containsText(String(params.systemPrompt ?? ''), systemPrompt)) return undefined;
  return `Expected a system prompt that contains ${jsonText(systemPrompt)}, got ${jsonText(params.systemPrompt)}`;
}

function missingTool(wanted: readonly string[], offered: unknown): string | undefined {
  const names = (Array.isArray(offered) ? offered : []).map((tool) => (isRecord(tool) ? tool.name : undefined));
  const missing = wanted.find((name) => !names.includes(name));
  return missing === undefined
    ? undefined
    : `Expected a request that offers the tool ${jsonText(missing)}, got ${jsonText(names)}`;
}

/** A model that used a tool needs its result in the next request. */
function judgeToolUse(
  { simulateToolUse }: SamplingSpec,
  requests: readonly { readonly params: unknown }[],
): Judged | undefined {
  if (!simulateToolUse) return undefined;
  const sent = JSON.stringify(requests.slice(1).map(({ params }) => params));
  if (sent.includes('"tool_result"')) return undefined;
  return fail(`The server did not send the result of ${jsonText(simulateToolUse.name)} to the model`);
}

/** Judges several calls at once, each of which makes the server send a sampling request. */
export function judgeLoad(observed: ObservedTest<SuiteTestOf<'sampling-load'>>): Judged {
  const { test, ended, answers } = observed;
  if (answers.length < test.spec.concurrentRequests) refuseUnanswered();
  const failed = answers.filter(({ error }) => error);
  const error = failed[0]?.error;
  if (error) {
    return fail(`${failed.length} of ${counted(answers.length, 'call')} failed: ${errorInWords(error)}`, {
      error: error.message,
    });
  }
  const slowestMs = Math.max(0, ...answers.flatMap(({ durationMs }) => durationMs ?? []));
  return (
    judgeMissingRequest(observed, sampling, true) ??
    judgeLatency(test.spec, ended, slowestMs) ??
    pass(`${counted(answers.length, 'call')} at once, the slowest in ${inMs(slowestMs)}`)
  );
}

/** Judges the elicitation requests of the server and the result of the call. */
export function judgeElicitation(observed: ObservedTest<SuiteTestOf<'elicitation-request'>>): Judged {
  const { expectedRequest, respond } = observed.test.spec;
  const requests = exchangesOf(observed, 'elicitation/create');
  const differences = requests.map(({ params }) => elicitationDifference(expectedRequest, params));
  return (
    judgeMissingRequest(observed, 'elicitation/create', true) ??
    (differences.includes(undefined) ? undefined : fail(differences[0] ?? '')) ??
    requests.map(({ params }) => judgePage(params)).find((judged) => judged !== undefined) ??
    judgeWaitingForPage(observed) ??
    judgeAnswer(observed, respond.action !== 'accept')
  );
}

/** Judges the address of a page that a user is to open. */
function judgePage(params: unknown): Judged | undefined {
  if (!isRecord(params) || params.mode !== 'url') return undefined;
  const { url } = params;
  if (typeof url === 'string' && URL.canParse(url)) return undefined;
  return fail(`The server asks its user to open ${jsonText(url)}, which is not a URL`);
}

const urlElicitationRequired = -32_042;

/** No page is opened, so a tool that goes on waiting for it did what it should, where nothing else is expected. */
function judgeWaitingForPage({
  test: { spec },
  answer,
}: ObservedTest<SuiteTestOf<'elicitation-request'>>): Judged | undefined {
  const isExpecting = spec.expectedResult !== undefined || spec.expectedError !== undefined;
  if (answer?.error?.code !== urlElicitationRequired || isExpecting) return undefined;
  return pass('Requested as expected; the tool waits for the page, which was not opened');
}

function elicitationDifference(
  expected: SuiteTestOf<'elicitation-request'>['spec']['expectedRequest'],
  params: unknown,
): string | undefined {
  if (expected === undefined) return undefined;
  if (typeof expected !== 'string') {
    const difference = differenceOfValues(expected, params, 'subset');
    return difference && `The server sent a different request: ${inWords(difference)}`;
  }
  const message = isRecord(params) ? String(params.message ?? '') : '';
  if (containsText(message, expected)) return undefined;
  return `Expected a request whose message contains ${jsonText(expected)}, got ${jsonText(message)}`;
}

/** Fails where an expected request is missing; the tool's answer shows why. */
function judgeMissingRequest(observed: ObservedTest, method: string, isExpected: boolean): Judged | undefined {
  if (!isExpected || exchangesOf(observed, method).length > 0) return undefined;
  const { answer } = observed;
  if (!answer) refuseUnanswered();
  const reaction = answer.error
    ? `failed: ${errorInWords(answer.error)}`
    : `answered ${jsonText(meaningOfResult(answer.result))}`;
  return fail(`The server did not send ${method}; the tool ${reaction}`);
}

/** A tool whose request was turned down may fail, unless something else is expected of it. */
function judgeAnswer(
  { test: { spec }, ended, answer }: ObservedTest<SuiteTestOf<'sampling-request' | 'elicitation-request'>>,
  mayFail: boolean,
): Judged {
  const isForgiven = mayFail && answer?.error && !ended.timedOut && spec.expectedResult === undefined;
  const isOpen = spec.expectedError === undefined && spec.expectError === undefined;
  if (isForgiven && isOpen)
    return pass(
      `The request was rejected as planned; the tool answered: ${errorInWords(answer?.error ?? { message: '' })}`,
    );
  const meaning = meaningOfResult(answer?.result);
  return judgeReply(spec, answer, ended, {
    value: meaning,
    check: () => judgeResult(spec, answer?.result, ended),
    summary: `Requested as expected, answered in ${timeOf(ended)}: ${jsonText(meaning)}`,
  });
}
