import * as z from 'zod';
import { reportSchema } from '../../domain/capability.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { ConnectorRequest, ConnectorResponse } from '../../drive/connectors/connector.ts';
import { readMessage } from '../../drive/connectors/wire/read-message.ts';
import { usageIn } from '../../drive/connectors/wire/token-usage.ts';
import { isRecord } from '../../shared/json.ts';

const hint = 'A connector gives `{ messages: [{ role: "assistant", content: "…" }] }`, or the text itself.';

/** What a plug-in's connector gave, in the one shape that everybody downstream knows; throws when it holds no answer. */
export function connectorAnswer(given: unknown, request: ConnectorRequest, measuredMs: number): ConnectorResponse {
  const answer = typeof given === 'string' ? { messages: [{ role: 'assistant', content: given }] } : given;
  if (!isRecord(answer)) throw noAnswer('it gave no object');
  if (answer.success === false) {
    const reason = typeof answer.error === 'string' && answer.error !== '' ? answer.error : 'it says that it failed';
    throw new AssayError('TARGET_CRASHED', reason);
  }
  const { rawResponse, raw } = answer;
  return {
    messages: newMessages(answer.messages, request.messages),
    latencyMs: figure(answer.latencyMs) ?? measuredMs,
    ...present({
      timeToFirstTokenMs: figure(answer.timeToFirstTokenMs),
      costUsd: figure(answer.costUsd),
      model: text(answer.model),
      threadId: text(answer.threadId),
      tokenUsage: usageIn(answer),
      reports: z.array(reportSchema).safeParse(answer.reports).data,
    }),
    ...(isRecord(raw) && { raw: { request: raw.request, response: raw.response } }),
    ...(rawResponse !== undefined && { raw: { request: undefined, response: rawResponse } }),
  };
}

/** Some give back the whole conversation, and some what the user said; only what the agent added counts. */
function newMessages(given: unknown, asked: readonly Message[]): Message[] {
  if (!Array.isArray(given)) throw noAnswer('`messages` is no list');
  const messages = given.map(messageOf);
  const isEcho = messages.length > asked.length && asked.every((message, index) => isSame(message, messages[index]));
  const added = (isEcho ? messages.slice(asked.length) : messages).filter(
    ({ role }) => role === 'assistant' || role === 'tool',
  );
  if (added.length === 0) throw noAnswer('`messages` holds no message of the assistant');
  return added;
}

function messageOf(given: unknown, index: number): Message {
  const hasSaid = isRecord(given) && (given.content !== undefined || given.tool_calls !== undefined);
  const message = hasSaid ? readMessage(given) : undefined;
  if (!message) throw noAnswer(`\`messages[${index}]\` has neither \`content\` nor \`tool_calls\``);
  return message;
}

function isSame(one: Message, other: Message | undefined): boolean {
  return one.role === other?.role && JSON.stringify(one.content) === JSON.stringify(other.content);
}

function figure(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

function noAnswer(reason: string): AssayError {
  return new AssayError('TARGET_OUTPUT_NOT_JSON', `The connector gave no usable answer: ${reason}.`, { hint });
}
