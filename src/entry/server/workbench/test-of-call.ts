import { meaningOfResult, textOfResult } from '../../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { methodNotFound } from '../../../shared/json-rpc.ts';
import type { HandCall, TestPart } from '../api/workbench.ts';

/** A request of the server that was answered by hand. */
export interface AnsweredRequest {
  readonly method: string;
  readonly params: unknown;
  readonly state: 'answered' | 'refused';
  readonly answer: unknown;
}

type Answer = Pick<HandCall, 'method' | 'params' | 'state' | 'result' | 'error'>;

/** The part of a server that a call can become a test of, or why it cannot. */
export function testPartOf(
  call: Answer,
  answered: readonly AnsweredRequest[],
): Pick<HandCall, 'testPart' | 'whyNoTest'> {
  const whyNoTest = whyNot(call, answered);
  return whyNoTest === undefined
    ? { testPart: partOf(call, answered), whyNoTest: null }
    : { testPart: null, whyNoTest };
}

const parts: Readonly<Record<string, TestPart>> = {
  'tools/call': 'tool',
  'resources/read': 'resource',
  'prompts/get': 'prompt',
};

function partOf({ method }: Answer, [first]: readonly AnsweredRequest[]): TestPart | null {
  if (first) return first.method === 'elicitation/create' ? 'elicitation' : 'sampling';
  return parts[method] ?? null;
}

function whyNot({ method, state, error }: Answer, answered: readonly AnsweredRequest[]): string | undefined {
  if (state === 'cancelled') return 'It was cancelled.';
  if (state === 'failed') return `It was not answered: ${error?.message}`;
  if (parts[method] === undefined) return `Suites have no tests of ${method}.`;
  if (error?.code === methodNotFound) return 'The server does not have this feature.';
  const [first] = answered;
  if (!first) return undefined;
  if (method !== 'tools/call') return 'Suites answer requests of the server only while a tool is called.';
  const key = (request: AnsweredRequest): string => JSON.stringify([request.method, request.state, request.answer]);
  if (answered.some((request) => key(request) !== key(first)))
    return 'The server sent several requests with different answers, which one test cannot give.';
  if (first.method === 'elicitation/create')
    return first.state === 'refused' ? 'Tests answer with accept, decline or cancel.' : undefined;
  if (first.state === 'answered' && samplingText(first.answer) === undefined)
    return 'Tests answer sampling requests with one text.';
  return undefined;
}

function samplingText(answer: unknown): string | undefined {
  const content = isRecord(answer) ? answer.content : undefined;
  return isRecord(content) && content.type === 'text' && typeof content.text === 'string' ? content.text : undefined;
}

/** How much of the answer a test expects. */
export type Expected = 'same' | 'part' | 'answered';

/** The test of a suite that makes the call again and expects its answer. */
export function testOfCall(
  call: Answer & Pick<HandCall, 'testPart'>,
  answered: readonly AnsweredRequest[],
  name: string,
  expected: Expected,
): Record<string, unknown> {
  const { params } = call;
  const args = isRecord(params.arguments) ? params.arguments : {};
  const subject = String(params.name);
  switch (call.testPart) {
    case 'tool':
      return { name: subject, description: name, args, ...expectedOfTool(call, expected) };
    case 'resource':
      return { name, uri: String(params.uri), ...expectedOfResource(call, expected) };
    case 'prompt':
      return { name, promptName: subject, args, ...expectedOfPrompt(call, expected) };
    default:
      return { name, tool: subject, args, ...responseOf(answered), ...expectedOfTool(call, expected) };
  }
}

/** The error of an answer, a result that says of itself that it is one included. */
function errorOf({ error, result }: Answer): string | undefined {
  if (error) return error.message;
  return isRecord(result) && result.isError === true ? (textOfResult(result) ?? '') : undefined;
}

function expectedOfTool(call: Answer, expected: Expected): Record<string, unknown> {
  const error = errorOf(call);
  if (error !== undefined) return { expectedError: expected === 'answered' ? '' : error };
  if (expected === 'answered') return {};
  const meaning = meaningOfResult(call.result);
  const isPartial = expected === 'part' && typeof meaning === 'object';
  return { expectedResult: meaning, ...(isPartial && { match: 'subset' }) };
}

function expectedOfResource(call: Answer, expected: Expected): Record<string, unknown> {
  const error = errorOf(call);
  if (error !== undefined) return { expectedError: expected === 'answered' ? '' : error };
  const contents = isRecord(call.result) && Array.isArray(call.result.contents) ? call.result.contents : [];
  const [first] = contents.filter(isRecord);
  const texts = contents.flatMap((part: unknown) =>
    isRecord(part) && typeof part.text === 'string' ? [part.text] : [],
  );
  const mimeType = typeof first?.mimeType === 'string' ? { expectedMimeType: first.mimeType } : {};
  if (expected === 'answered' || texts.length === 0) return mimeType;
  return { ...mimeType, expectedContent: texts.length === 1 ? texts[0] : texts };
}

function expectedOfPrompt(call: Answer, expected: Expected): Record<string, unknown> {
  const error = errorOf(call);
  if (error !== undefined) return { expectedError: expected === 'answered' ? '' : error };
  if (expected === 'answered') return { validateStructure: true };
  const messages = isRecord(call.result) && Array.isArray(call.result.messages) ? call.result.messages : [];
  const expectedMessages = messages.filter(isRecord).map(({ role, content }) => {
    const text = isRecord(content) && typeof content.text === 'string' ? { content: content.text } : {};
    return { role, ...text };
  });
  return { expectedMessages };
}

function responseOf([first]: readonly AnsweredRequest[]): Record<string, unknown> {
  if (first?.method === 'elicitation/create') {
    const { action, content } = isRecord(first.answer) ? first.answer : {};
    return { respond: { action, ...(isRecord(content) && { content }) } };
  }
  return { simulateUserResponse: first?.state === 'refused' ? 'reject' : (samplingText(first?.answer) ?? 'approve') };
}
