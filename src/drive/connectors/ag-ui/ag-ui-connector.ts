import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Approver } from '../../../domain/approval-event.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Loss } from '../../../domain/loss.ts';
import { type Message, messageText } from '../../../domain/message.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import { type Connector, type ConnectorRequest, defineConnector } from '../connector.ts';
import type { EndpointAnswer } from '../wire/answer.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import type { Endpoint } from '../wire/endpoint.ts';
import { endpointUrl, mergedHeaders, requireHttpUrl } from '../wire/url-and-headers.ts';
import { AguiRunReader } from './run-reader.ts';

const configSchema = () =>
  z.strictObject({
    path: z.string().default('').describe('path of the agent under `baseUrl`'),
    state: z.unknown().default({}).describe('sent as `state` with the first run of a conversation'),
    forwardedProps: z.record(z.string(), z.unknown()).default({}).describe('sent with each run'),
  });

type AguiConfig = z.output<ReturnType<typeof configSchema>>;
type Fields = Readonly<Record<string, unknown>>;

const urlHint = 'Set `baseUrl` of the connector to the http or https URL of the AG-UI agent.';
const contentHeaders = { 'content-type': 'application/json', accept: 'text/event-stream' };

export const aguiConnector = defineConnector({
  type: 'ag-ui',
  label: 'AG-UI',
  summary: 'an agent that speaks the Agent User Interaction Protocol over HTTP',
  reports: ['tool-calls', 'latency'],
  asks: true,
  configSchema,
  async open(config, settings, context) {
    const { env } = context;
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { Endpoint } = await import('../wire/endpoint.ts');
    const url = settings.baseUrl && expandSetting('base URL', settings.baseUrl, env);
    const baseUrl = requireHttpUrl('ag-ui', url, urlHint);
    const headers = mergedHeaders(contentHeaders, settings.headers);
    return connect(new Endpoint(context, headers, [new URL(baseUrl).password]), baseUrl, config);
  },
});

/** One run of the agent: the first of a turn, and one after the decisions of a policy. */
interface Run {
  readonly answer: EndpointAnswer;
  readonly reader: AguiRunReader;
  readonly messages: readonly Message[];
}

/** An agent that asks more often in one turn would never end. */
const mostRuns = 100;

function connect(endpoint: Endpoint, baseUrl: string, config: AguiConfig): Connector {
  const salt = randomUUID();
  const pending = new ConversationMemory<readonly Fields[]>();
  return {
    async invoke(request) {
      const { conversationId, headers, signal, clock, approver } = request;
      const threadId = `${salt}-${conversationId}`;
      const history = request.messages.map((message, index) => ({ ...message, id: message.id ?? `m${index + 1}` }));
      const runs: Run[] = [];
      const take = async (resume?: readonly object[]): Promise<void> => {
        const messages = [...history, ...runs.flatMap((run) => run.messages)];
        const reader = new AguiRunReader(new Set(messages.map(({ id = '' }) => id)));
        const { state, forwardedProps } = config;
        const answer = await endpoint.send({
          url: endpointUrl(baseUrl, config.path),
          method: 'POST',
          body: JSON.stringify({
            ...{ threadId, runId: randomUUID(), state, messages: messages.map(asAgui), tools: [], context: [] },
            ...{ forwardedProps, ...(resume && { resume }) },
          }),
          headers,
          signal,
          clock,
          readerFor: () => ({ form: 'sse', reader }),
        });
        runs.push({ answer, reader, messages: reader.finish() });
        if (reader.error !== undefined) failAsRun(answer, reader.error);
        pending.set(conversationId, reader.interrupts);
      };
      const waiting = pending.get(conversationId) ?? [];
      await take(waiting.length > 0 ? repliesTo(waiting, request) : undefined);
      for (let run = runs.at(-1); approver && run && run.reader.interrupts.length > 0; run = runs.at(-1)) {
        if (runs.length >= mostRuns)
          throw new AssayError('TARGET_CRASHED', `The agent requested decisions ${mostRuns} times in one turn.`);
        await take(await decisions(run.reader, approver));
      }
      return responseOf(runs, threadId);
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

function failAsRun(answer: EndpointAnswer, error: string): never {
  return answer.fail(
    'TARGET_CRASHED',
    `failed during the run: ${error}`,
    "Look into the agent's log to see why it failed.",
  );
}

/** Open interrupts are questions to the user. */
function responseOf(runs: readonly Run[], threadId: string) {
  const { answer, reader } = runs.at(-1) as Run;
  const questions = reader.interrupts.map(
    (interrupt): Message => ({ role: 'assistant', content: questionOf(interrupt) }),
  );
  const messages = [...runs.flatMap((run) => run.messages), ...questions];
  const wordless = reader.interrupts.filter(({ message }) => typeof message !== 'string');
  const unsaid = wordless.map((): Loss => ({ channels: ['answers'], reason: 'a question has no words' }));
  const gaps = [...runs.flatMap((run) => run.reader.gaps), ...unsaid];
  if (messages.length === 0)
    answer.fail(
      'TARGET_NO_MESSAGE',
      `answered without a message: ${answer.excerpt()}`,
      'Let the agent send a text message.',
    );
  const latencyMs = runs.reduce((sum, run) => sum + run.answer.latencyMs, 0);
  return {
    messages,
    gaps,
    latencyMs,
    timeToFirstTokenMs: runs[0]?.answer.timeToFirstTokenMs,
    threadId,
    raw: answer.raw,
  };
}

function questionOf({ message, reason }: Fields): string {
  return typeof message === 'string' ? message : String(reason ?? 'The agent waits for an answer.');
}

/** The user's reply to all open interrupts; a decision may be written as JSON. */
function repliesTo(interrupts: readonly Fields[], { messages, seenCount }: ConnectorRequest): object[] {
  const text = messages
    .slice(seenCount)
    .filter(({ role }) => role === 'user')
    .map(messageText)
    .join('\n');
  const data = /^\s*(?:[[{]|true$|false$)/.test(text) ? parseJson(text) : undefined;
  return interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: data ?? text }));
}

async function decisions(reader: AguiRunReader, approver: Approver): Promise<object[]> {
  const resume: object[] = [];
  for (const interrupt of reader.interrupts) {
    const call = reader.callOf(interrupt.toolCallId);
    const { answer, content, reason } = await approver.answer({
      border: 'ag-ui',
      tool: call?.tool ?? 'interrupt',
      ...(typeof interrupt.toolCallId === 'string' && { callId: interrupt.toolCallId }),
      request: call?.args ?? interrupt,
    });
    const interruptId = interrupt.id;
    if (answer === 'none') resume.push({ interruptId, status: 'cancelled' });
    else
      resume.push({
        interruptId,
        status: 'resolved',
        payload: payloadOf(answer === 'allow', interrupt, content, reason),
      });
  }
  return resume;
}

/** Denials are in the payload; edited arguments replace all of them. */
function payloadOf(
  isAllowed: boolean,
  { reason: kind, responseSchema }: Fields,
  content: unknown,
  reason: unknown,
): unknown {
  const schema = isRecord(responseSchema) ? responseSchema : {};
  if (schema.type === 'boolean') return isAllowed;
  if (isAllowed && content !== undefined && kind !== 'tool_call') return content;
  if (!isAllowed) return { approved: false, ...(reason !== undefined && { reason }) };
  return { approved: true, ...(content !== undefined && { editedArgs: content }) };
}

/** A message as the protocol writes it. */
function asAgui(message: Message & { readonly id?: string | undefined }): object {
  const { id, role, tool_calls: toolCalls, tool_call_id: toolCallId } = message;
  const content = messageText(message);
  return { id, role, content, ...(toolCalls && { toolCalls }), ...(toolCallId !== undefined && { toolCallId }) };
}
