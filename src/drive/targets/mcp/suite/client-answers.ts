import type {
  ElicitationRequestTest,
  SamplingLoadTest,
  SamplingRequestTest,
} from '../../../../domain/mcp/client-suites.ts';
import type { Probe, SampledContent } from '../../../../domain/mcp/probes.ts';
import type { SamplingWorkflowTest } from '../../../../domain/mcp/sampling-tests.ts';
import { isRecord } from '../../../../shared/json.ts';
import { RpcError } from '../../../../shared/json-rpc.ts';
import { elicitationResult } from '../../../approvals/elicitation.ts';
import type { TestSession } from './test-session.ts';

type Data = Readonly<Record<string, unknown>>;

/** The call that was made for a part of a test, and how many requests the server sent meanwhile. */
interface ProbedCall {
  /** Null: it was not made. */
  readonly callId: string | null;
  readonly requests: number;
}

const answerLength = { small: 100, medium: 10_000, large: 100_000 };
/** The protocol's code for a user's refusal. */
const userRejected = -1;
/** The error of a tool that needs its user to open a URL first, in the protocol of 2025-11-25. */
const urlElicitationRequired = -32_042;

/** Calls a tool, and answers as the model of the client whenever the server asks for it. */
export async function trySampling(spec: SamplingRequestTest, client: TestSession): Promise<void> {
  const { tool = '', args, simulateUserResponse: response, simulateToolUse: use } = spec;
  const toolUse = use && sampled([{ type: 'tool_use', id: 'tool-use-1', ...use }], 'toolUse');
  await callWhile(tool, args, client, (index) => (toolUse && index === 0 ? toolUse : simulatedAnswer(response)));
}

/** Calls a tool several times at once, and answers as the model of the client. */
export async function tryLoad(spec: SamplingLoadTest, client: TestSession): Promise<void> {
  const { tool = '', args, concurrentRequests, messageSize = 'small' } = spec;
  const text = 'word '.repeat(answerLength[messageSize] / 5);
  using _sampling = answering('sampling/createMessage', client, () => simulatedAnswer(text));
  await Promise.all(Array.from({ length: concurrentRequests }, () => client.call(tool, args)));
}

/** Makes one call after the other; the exchanges are in the trace in the same order. */
export async function trySamplingProbes(
  tool: string,
  probes: readonly Probe[],
  client: TestSession,
): Promise<ProbedCall[]> {
  const calls: ProbedCall[] = [];
  for (const { args, answer = 'reject', problem } of probes) {
    if (problem !== undefined || typeof args === 'string') calls.push({ callId: null, requests: 0 });
    else calls.push(await callWhile(tool, args, client, () => sampledOrRefused(answer)));
  }
  return calls;
}

/** Calls a tool, and answers the requests of the server as the steps say; further ones are approved. */
export async function trySamplingWorkflow(spec: SamplingWorkflowTest, client: TestSession): Promise<ProbedCall[]> {
  const responses = spec.steps.flatMap(({ userResponse }) => userResponse ?? []);
  return [await callWhile(spec.tool ?? '', spec.args, client, (index) => simulatedAnswer(responses[index]))];
}

/**
 * Calls a tool, and answers as the user of the client whenever the server asks for it. A user who agrees to open a page
 * is simulated too, so a tool that waits for the page is called once more.
 */
export async function tryElicitation(spec: ElicitationRequestTest, client: TestSession): Promise<void> {
  const { action, content } = spec.respond;
  const respond = (params: unknown): Data => elicitationResult(action, content, params);
  using _elicitation = answering('elicitation/create', client, respond);
  const { error } = await client.call(spec.tool, spec.args);
  if (error?.code !== urlElicitationRequired) return;
  for (const params of pagesIn(error.data))
    client.emitExchange('from-server', { method: 'elicitation/create', params, durationMs: 0, result: { action } });
  if (action === 'accept') await client.call(spec.tool, spec.args);
}

function pagesIn(data: unknown): unknown[] {
  return isRecord(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
}

/** The answer of the client to a sampling request, as a test words it. */
function simulatedAnswer(response = 'approve'): Data {
  if (response === 'reject') return sampledOrRefused('reject');
  return sampledOrRefused({
    type: 'text',
    text: response === 'approve' ? 'This is the answer of the model.' : response,
  });
}

function sampledOrRefused(answer: SampledContent | 'reject'): Data {
  if (answer === 'reject') throw new RpcError(userRejected, 'User rejected sampling request');
  return sampled(answer, 'endTurn');
}

function sampled(content: unknown, stopReason: string): Data {
  return { role: 'assistant', content, model: 'assay-test-model', stopReason };
}

async function callWhile(
  tool: string,
  args: Data,
  client: TestSession,
  answer: (index: number) => Data,
): Promise<ProbedCall> {
  let requests = 0;
  using _sampling = answering('sampling/createMessage', client, () => answer(requests++));
  await client.call(tool, args);
  return { callId: client.callId, requests };
}

/** Answers the requests of one method that a server sends, on record; a refusal is one of the answers. */
function answering(method: string, client: TestSession, answer: (params: unknown) => Data): Disposable {
  return client.session.onRequest(method, async ({ params }) => {
    const exchange = { method, params, durationMs: 0 };
    try {
      const result = answer(params);
      client.emitExchange('from-server', { ...exchange, result });
      return { ...result };
    } catch (error) {
      if (error instanceof RpcError)
        client.emitExchange('from-server', { ...exchange, error: { message: error.message } });
      throw error;
    }
  });
}
