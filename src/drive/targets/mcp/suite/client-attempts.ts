import type {
  ElicitationRequestTest,
  SamplingLoadTest,
  SamplingRequestTest,
} from '../../../../domain/mcp/client-suites.ts';
import { answering, simulatedAnswer } from './sampling-attempts.ts';
import type { TestTalk } from './test-talk.ts';

const answerLength = { small: 100, medium: 10_000, large: 100_000 };

/** Calls a tool, and answers as the model of the client whenever the server asks for it. */
export async function trySampling(spec: SamplingRequestTest, talk: TestTalk): Promise<void> {
  const { tool = '', args, simulateUserResponse: response } = spec;
  using _sampling = answering('sampling/createMessage', talk, () => simulatedAnswer(response));
  await talk.call(tool, args);
}

/** Calls a tool several times at once, and answers as the model of the client. */
export async function tryLoad(spec: SamplingLoadTest, talk: TestTalk): Promise<void> {
  const { tool = '', args, concurrentRequests, messageSize = 'small' } = spec;
  const text = 'word '.repeat(answerLength[messageSize] / 5);
  using _sampling = answering('sampling/createMessage', talk, () => simulatedAnswer(text));
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
