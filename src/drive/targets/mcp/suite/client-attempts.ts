import type {
  ElicitationRequestTest,
  SamplingLoadTest,
  SamplingRequestTest,
} from '../../../../domain/mcp/client-suites.ts';
import { RpcError } from '../../../../shared/json-rpc.ts';
import type { TestTalk } from './test-talk.ts';

/** The protocol's code for a user's refusal. */
const userRejected = -1;
const answerLength = { small: 100, medium: 10_000, large: 100_000 };

/** Calls a tool, and answers as the model of the client whenever the server asks for it. */
export async function trySampling(spec: SamplingRequestTest, talk: TestTalk): Promise<void> {
  const { tool = '', args, simulateUserResponse: response = 'approve' } = spec;
  using _sampling = answering('sampling/createMessage', talk, () => {
    if (response === 'reject') throw new RpcError(userRejected, 'User rejected sampling request');
    return sampled(response === 'approve' ? 'This is the answer of the model.' : response);
  });
  await talk.call(tool, args);
}

/** Calls a tool several times at once, and answers as the model of the client. */
export async function tryLoad(spec: SamplingLoadTest, talk: TestTalk): Promise<void> {
  const { tool = '', args, concurrentRequests, messageSize = 'small' } = spec;
  const text = 'word '.repeat(answerLength[messageSize] / 5);
  using _sampling = answering('sampling/createMessage', talk, () => sampled(text));
  await Promise.all(Array.from({ length: concurrentRequests }, () => talk.call(tool, args)));
}

/** Calls a tool, and answers as the user of the client whenever the server asks for it. */
export async function tryElicitation(spec: ElicitationRequestTest, talk: TestTalk): Promise<void> {
  const { action, content } = spec.respond;
  using _elicitation = answering('elicitation/create', talk, () =>
    action === 'accept' ? { action, content: content ?? {} } : { action },
  );
  await talk.call(spec.tool, spec.args);
}

function answering(method: string, talk: TestTalk, answer: () => Record<string, unknown>): Disposable {
  return talk.session.onRequest(method, async ({ params }) => {
    const exchange = { method, params, durationMs: 0 };
    try {
      const result = answer();
      talk.emitExchange('from-server', { ...exchange, result });
      return result;
    } catch (error) {
      if (error instanceof RpcError)
        talk.emitExchange('from-server', { ...exchange, error: { message: error.message } });
      throw error;
    }
  });
}

function sampled(text: string): Record<string, unknown> {
  return { role: 'assistant', content: { type: 'text', text }, model: 'assay-test-model', stopReason: 'endTurn' };
}
