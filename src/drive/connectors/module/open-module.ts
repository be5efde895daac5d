import { resolve } from 'node:path';
import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import { untilAborted } from '../../../shared/async.ts';
import { isRecord } from '../../../shared/json.ts';
import { ModuleWorkerClient } from '../../targets/call/module-worker-client.ts';
import type { CallAnswer } from '../../targets/call/module-worker-messages.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorResponse, ConnectorSettings } from '../connector.ts';
import { detectMessages } from '../http/detect-messages.ts';
import { reading } from '../wire/read-document.ts';
import { SentHeaders } from '../wire/sent-headers.ts';
import { excerptOf, keptText } from '../wire/shown-text.ts';
import { countIn, usageIn } from '../wire/token-usage.ts';
import type { ModuleConnectorConfig } from './module-connector.ts';
import { SignalStop } from './signal-stop.ts';

const thrownHint = 'The function itself failed; its message says where.';
const shapeHint = 'Return a text, or an object with `messages` or `content`, such as { content: "Hello" }.';

/**
 * Loads a user's function into a thread, where one that hangs, exits or throws ends its own turn and not the run. What
 * the module keeps between turns lives as long as its thread: one that was blocked is replaced by a new one.
 */
export async function openModule(
  config: ModuleConnectorConfig,
  settings: ConnectorSettings,
  { directory, threads, signal }: TargetContext,
): Promise<Connector> {
  const layers = new SentHeaders(settings.headers);
  const client = new ModuleWorkerClient(threads, resolve(directory, config.module), config.export);
  await untilAborted(client.load(), signal).catch(async (error: unknown) => {
    await client[Symbol.asyncDispose]();
    throw error;
  });
  const name = `${config.export}() in ${config.module}`;
  return {
    async invoke(request) {
      const { headers, redact } = layers.sentBy(request.headers);
      const { messages, seenCount, conversationId, turn, model } = request;
      const input = { messages, seenCount, conversationId, turn, model, baseUrl: settings.baseUrl };
      using stop = new SignalStop(request.signal);
      const answer = await client.call({ ...input, headers }, stop);
      const fail = (code: ErrorCode, problem: string, hint?: string): never => {
        throw new AssayError(code, `${name} ${redact(problem)}`, { hint });
      };
      if (answer.unusable) return fail(answer.unusable.code, `returned ${answer.unusable.reason}`);
      if (answer.thrown !== undefined) {
        return fail('TARGET_CRASHED', `threw ${excerptOf(messageOf(answer.thrown), redact)}`, thrownHint);
      }
      const read = reading({ fail }, () => readResult(answer, request));
      const { result = '', durationMs: latencyMs, printed } = answer;
      if (!read) return fail('TARGET_OUTPUT_NOT_JSON', `returned no message: ${excerptOf(result, redact)}`, shapeHint);
      const raw = {
        request: { body: keptText(JSON.stringify(input), redact) },
        response: {
          body: keptText(result, redact),
          ...(printed.length > 0 && { printed: printed.map((part) => ({ ...part, text: redact(part.text) })) }),
        },
      };
      return { ...read, latencyMs, raw };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function readResult(
  { result }: CallAnswer,
  { messages: asked }: ConnectorRequest,
): Omit<ConnectorResponse, 'latencyMs'> | undefined {
  const document: unknown = result === undefined ? undefined : JSON.parse(result);
  const messages = detectMessages(document, asked);
  if (!messages) return undefined;
  const fields = isRecord(document) ? document : {};
  const { model, threadId } = fields;
  const [costUsd, timeToFirstTokenMs] = [countIn(fields.costUsd), countIn(fields.timeToFirstTokenMs)];
  return {
    messages,
    tokenUsage: usageIn(document),
    ...(costUsd !== undefined && { costUsd }),
    ...(timeToFirstTokenMs !== undefined && { timeToFirstTokenMs }),
    ...(typeof model === 'string' && { model }),
    ...(typeof threadId === 'string' && { threadId }),
  };
}

function messageOf(thrown: string): string {
  const error: unknown = JSON.parse(thrown);
  return isRecord(error) && typeof error.message === 'string' ? error.message : thrown;
}
