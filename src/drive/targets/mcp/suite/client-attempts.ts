import type {
  ElicitationRequestTest,
  SamplingLoadTest,
  SamplingRequestTest,
} from '../../../../domain/mcp/client-suites.ts';
import { isRecord } from '../../../../shared/json.ts';
import { answering, simulatedAnswer, toolUseAnswer } from './sampling-attempts.ts';
import type { TestSession } from './test-session.ts';

const answerLength = { small: 100, medium: 10_000, large: 100_000 };

/** Calls a tool, and answers as the model of the client whenever the server asks for it. */
export async function trySampling(spec: SamplingRequestTest, talk: TestSession): Promise<void> {
  const { tool = '', args, simulateUserResponse: response, simulateToolUse } = spec;
  let requests = 0;
  using _sampling = answering('sampling/createMessage', talk, () =>
    simulateToolUse && requests++ === 0 ? toolUseAnswer(simulateToolUse) : simulatedAnswer(response),
  );
  await talk.call(tool, args);
}

/** Calls a tool several times at once, and answers as the model of the client. */
export async function tryLoad(spec: SamplingLoadTest, talk: TestSession): Promise<void> {
  const { tool = '', args, concurrentRequests, messageSize = 'small' } = spec;
  const text = 'word '.repeat(answerLength[messageSize] / 5);
  using _sampling = answering('sampling/createMessage', talk, () => simulatedAnswer(text));
  await Promise.all(Array.from({ length: concurrentRequests }, () => talk.call(tool, args)));
}

/** The error of a tool that needs its user to open a URL first, in the protocol of 2025-11-25. */
const urlElicitationRequired = -32_042;

/**
 * Calls a tool, and answers as the user of the client whenever the server asks for it. A user who agrees to open a page
 * is simulated too, so a tool that waits for the page is called once more.
 */
export async function tryElicitation(spec: ElicitationRequestTest, talk: TestSession): Promise<void> {
  const { action, content } = spec.respond;
  const respond = (params: unknown): Record<string, unknown> =>
    action === 'accept' && !isOfUrl(params) ? { action, content: content ?? {} } : { action };
  using _elicitation = answering('elicitation/create', talk, respond);
  const { error } = await talk.call(spec.tool, spec.args);
  if (error?.code !== urlElicitationRequired) return;
  for (const params of pagesIn(error.data)) {
    const exchange = { method: 'elicitation/create', params, durationMs: 0, result: { action } };
    talk.emitExchange('from-server', exchange);
  }
  if (action === 'accept') await talk.call(spec.tool, spec.args);
}

function isOfUrl(params: unknown): boolean {
  return isRecord(params) && params.mode === 'url';
}

function pagesIn(data: unknown): unknown[] {
  return isRecord(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
}
