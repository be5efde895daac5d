import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';
import type { CallAnswer } from '../targets/call/module-worker-messages.ts';
import { moduleIssues, openUserModule, type UserModule, userModuleSchema } from '../targets/call/user-module.ts';
import { SignalStop } from '../targets/signal-stop.ts';
import type { TargetContext } from '../targets/target.ts';
import { reportedUsage } from '../wire/reported-usage.ts';
import { countIn } from '../wire/values.ts';
import {
  type Connector,
  type ConnectorRequest,
  type ConnectorResponse,
  type ConnectorSettings,
  defineConnector,
} from './connector.ts';
import { excerptOf, readSafely, traceText } from './wire/answer.ts';
import { detectMessages } from './wire/detect-messages.ts';
import { RequestHeaders } from './wire/url-and-headers.ts';

export const moduleConnector = defineConnector({
  type: 'module',
  label: 'Function of a module',
  summary: 'a JavaScript or TypeScript function that receives the conversation and returns the answer',
  reports: ['latency'],
  configSchema: userModuleSchema,
  check: ({ module }, { directory }) => moduleIssues(module, directory),
  async open(config, settings, context) {
    return openModule(config, settings, context);
  },
});

const thrownHint = 'Fix the function: it threw an error.';

const shapeHint = 'Return a text, or an object with `messages` or `content`, such as { content: "Hello" }.';

/**
 * Loads a user's function into a thread, where one that hangs, exits or throws ends its own turn and not the run. State
 * that the module keeps between turns is lost when a blocked thread is replaced.
 */
async function openModule(config: UserModule, settings: ConnectorSettings, context: TargetContext): Promise<Connector> {
  const layers = new RequestHeaders(settings.headers);
  const client = await openUserModule(config, context);
  const name = `${config.export}() in ${config.module}`;
  return {
    async invoke(request) {
      const { headers, redact } = layers.forPersona(request.headers);
      const { messages, seenCount, conversationId, turn, model } = request;
      const input = { messages, seenCount, conversationId, turn, model, baseUrl: settings.baseUrl };
      using stop = new SignalStop(request.signal);
      const answer = await client.call({ ...input, headers }, stop, request.clock);
      const fail = (code: ErrorCode, problem: string, hint?: string): never => {
        throw new AssayError(code, `${name} ${redact(problem)}`, { hint });
      };
      if (answer.unusable) return fail(answer.unusable.code, `returned ${answer.unusable.reason}`);
      if (answer.thrown !== undefined) {
        return fail('TARGET_CRASHED', `threw ${excerptOf(messageOf(answer.thrown), redact)}`, thrownHint);
      }
      const read = readSafely({ fail }, () => readResult(answer, request));
      const { result = '', durationMs: latencyMs, printed } = answer;
      if (!read) return fail('TARGET_NO_MESSAGE', `returned no message: ${excerptOf(result, redact)}`, shapeHint);
      const raw = {
        request: { body: traceText(JSON.stringify(input), redact) },
        response: {
          body: traceText(result, redact),
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
  { messages: sent }: ConnectorRequest,
): Omit<ConnectorResponse, 'latencyMs'> | undefined {
  const document: unknown = result === undefined ? undefined : JSON.parse(result);
  const gaps: Loss[] = [];
  const messages = detectMessages(document, sent, gaps);
  if (!messages) return undefined;
  const fields = isRecord(document) ? document : {};
  const { model, threadId } = fields;
  const [costUsd, timeToFirstTokenMs] = [countIn(fields.costUsd), countIn(fields.timeToFirstTokenMs)];
  const figures = reportedUsage(document);
  return {
    messages,
    usage: figures.usage,
    gaps: [...gaps, ...(figures.gaps ?? [])],
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
