import { projectRedaction } from '../../../compose/run/redaction.ts';
import { tryConnector } from '../../../compose/run/try-connector.ts';
import { asAssayError } from '../../../domain/errors.ts';
import { messageText } from '../../../domain/message.ts';
import type { ConnectorTest } from '../api/project.ts';
import type { ServerContext } from '../context.ts';

const timeoutMs = 20_000;
const longestReply = 10_000;

/** Says one thing to the agent behind a connector; what keeps it from answering is told with what to do. */
export async function testConnector(
  name: string,
  message = 'Hello',
  signal: AbortSignal,
  { env, project: current, signal: ending }: Pick<ServerContext, 'env' | 'project' | 'signal'>,
): Promise<ConnectorTest> {
  const project = await current();
  const redact = projectRedaction(project, env);
  try {
    const either = AbortSignal.any([signal, ending]);
    const { messages, latencyMs } = await tryConnector(project, { name, message, timeoutMs, env, signal: either });
    const answer = messages.filter(({ role }) => role === 'assistant').map(messageText);
    const reply = redact(answer.filter((text) => text !== '').join('\n\n')).slice(0, longestReply);
    return { isReached: true, latencyMs, reply, problem: null };
  } catch (error) {
    const { message: what, hint, code } = asAssayError(error);
    if (code === 'NOT_FOUND') throw error;
    return { isReached: false, latencyMs: null, reply: null, problem: { message: redact(what), hint: redact(hint) } };
  }
}
