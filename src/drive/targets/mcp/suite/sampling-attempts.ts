import type { SampledContent, SamplingProbe, SamplingWorkflowTest } from '../../../../domain/mcp/sampling-tests.ts';
import { RpcError } from '../../../../shared/json-rpc.ts';
import type { TestSession } from './test-session.ts';

/** The protocol's code for a user's refusal. */
const userRejected = -1;

/** The call that was made for a part of a test, and how many requests the server sent meanwhile. */
interface ProbedCall {
  /** Null: it was not made. */
  readonly callId: string | null;
  readonly requests: number;
}

/** Makes one call after the other; the exchanges are in the trace in the same order. */
export async function trySamplingProbes(
  tool: string,
  probes: readonly SamplingProbe[],
  talk: TestSession,
): Promise<ProbedCall[]> {
  const calls: ProbedCall[] = [];
  for (const { args, answer, problem } of probes) {
    if (problem !== undefined) calls.push({ callId: null, requests: 0 });
    else calls.push(await callWhile(tool, args, talk, () => sampledOrRefused(answer)));
  }
  return calls;
}

/** Calls a tool, and answers the requests of the server as the steps say; further ones are approved. */
export async function trySamplingWorkflow(spec: SamplingWorkflowTest, talk: TestSession): Promise<ProbedCall[]> {
  const responses = spec.steps.flatMap(({ userResponse }) => userResponse ?? []);
  const call = await callWhile(spec.tool ?? '', spec.args, talk, (index) => simulatedAnswer(responses[index]));
  return [call];
}

/** The answer of the client to a sampling request, as a test words it. */
export function simulatedAnswer(response = 'approve'): Record<string, unknown> {
  if (response === 'reject') return sampledOrRefused('reject');
  return sampledOrRefused({
    type: 'text',
    text: response === 'approve' ? 'This is the answer of the model.' : response,
  });
}

function sampledOrRefused(answer: SampledContent | 'reject'): Record<string, unknown> {
  if (answer === 'reject') throw new RpcError(userRejected, 'User rejected sampling request');
  return { role: 'assistant', content: answer, model: 'assay-test-model', stopReason: 'endTurn' };
}

/** The answer of a model that wants a tool of the request to be used. */
export function toolUseAnswer({ name, input }: { readonly name: string; readonly input: unknown }) {
  const content = [{ type: 'tool_use', id: 'tool-use-1', name, input }];
  return { role: 'assistant', content, model: 'assay-test-model', stopReason: 'toolUse' };
}

async function callWhile(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  talk: TestSession,
  answer: (index: number) => Record<string, unknown>,
): Promise<ProbedCall> {
  let requests = 0;
  using _sampling = answering('sampling/createMessage', talk, () => answer(requests++));
  await talk.call(tool, args);
  return { callId: talk.callId, requests };
}

/** Answers the requests of one method that a server sends, on record; a refusal is one of the answers. */
export function answering(
  method: string,
  talk: TestSession,
  answer: (params: unknown) => Record<string, unknown>,
): Disposable {
  return talk.session.onRequest(method, async ({ params }) => {
    const exchange = { method, params, durationMs: 0 };
    try {
      const result = answer(params);
      talk.emitExchange('from-server', { ...exchange, result });
      return result;
    } catch (error) {
      if (error instanceof RpcError)
        talk.emitExchange('from-server', { ...exchange, error: { message: error.message } });
      throw error;
    }
  });
}
