import { AssayError } from '../../../domain/errors.ts';
import { type Message, type MessageToolCall, messageText } from '../../../domain/message.ts';
import type { EmitTrace, UnstampedEvent } from '../../../domain/trace.ts';
import { jsonOrText } from '../../../shared/json.ts';
import type { ConnectorResponse } from '../../connectors/connector.ts';
import { namelessTool } from '../../connectors/wire/messages.ts';

/** The source of a message: the engine or the agent. */
type Observer = 'engine' | 'agent';

/** The conversation so far, as it is sent to the agent and as the trace keeps it. */
export class ConversationLog {
  /** Without system messages: those are for the model that plays the user. */
  readonly messages: Message[] = [];
  readonly #emit: EmitTrace;
  #spokenCount = 0;
  #seenCount = 0;

  constructor(emit: EmitTrace) {
    this.#emit = emit;
  }

  /** Messages of user and assistant that have words; a message that only calls tools has none. */
  get spokenCount(): number {
    return this.#spokenCount;
  }

  /** How many messages the agent knows already. */
  get seenCount(): number {
    return this.#seenCount;
  }

  /** Who spoke last decides who goes first. */
  get isAgentsTurn(): boolean {
    return this.messages.at(-1)?.role === 'user';
  }

  /** A message that was there before the conversation began. */
  begin(message: Message): void {
    if (message.role === 'system') this.#emitMessage(message, 'engine');
    else this.#add(message, 'engine');
  }

  /** The user's words. */
  say(text: string): void {
    this.#add({ role: 'user', content: text }, 'engine');
  }

  /** The agent's answer. */
  hear(response: ConnectorResponse, number: number): void {
    const { latencyMs, timeToFirstTokenMs, tokenUsage, costUsd, model, raw, reports } = response;
    const messages = withoutRepeatedCalls(
      response.messages.filter(({ role }) => role === 'assistant' || role === 'tool'),
    );
    if (messages.length === 0) throw noAnswer();
    if (messages.some(({ tool_calls = [] }) => tool_calls.some((call) => call.function.name === namelessTool)))
      throw namelessCall();
    if (raw) this.#emit({ type: 'other', seenBy: 'recorder', kind: 'exchange', data: raw });
    for (const message of messages) this.#add(message, 'agent');
    this.#seenCount = this.messages.length;
    if (tokenUsage) {
      const tokens = { inputTokens: tokenUsage.input, outputTokens: tokenUsage.output };
      this.#emit({ type: 'usage', seenBy: 'agent', ...tokens, ...present({ model, costUsd }) });
    }
    const measured = { latencyMs, ...present({ timeToFirstTokenMs, tokenUsage, costUsd }) };
    const declared = reports && reports.length > 0 ? { reports: [...reports] } : {};
    this.#emit({ type: 'turn', seenBy: 'recorder', number, messages, ...measured, ...declared });
  }

  #add(message: Message, seenBy: Observer): void {
    this.messages.push(message);
    if (message.role !== 'tool' && messageText(message).trim() !== '') this.#spokenCount++;
    this.#emitMessage(message, seenBy);
  }

  #emitMessage(message: Message, seenBy: Observer): void {
    for (const event of eventsIn(message)) this.#emit({ ...event, seenBy });
  }
}

/** Within one answer an id names one call, however often the agent repeats it. */
function withoutRepeatedCalls(messages: readonly Message[]): Message[] {
  const callIds = new Set<string>();
  const isNew = ({ id }: MessageToolCall) => !callIds.has(id) && callIds.add(id);
  return messages.map((message) =>
    message.tool_calls ? { ...message, tool_calls: message.tool_calls.filter(isNew) } : message,
  );
}

function eventsIn(message: Message): UnstampedEvent[] {
  const { role } = message;
  const text = messageText(message);
  if (role === 'tool') {
    return [{ type: 'tool-result', callId: message.tool_call_id ?? '', durationMs: 0, result: text }];
  }
  const words: UnstampedEvent[] = text === '' ? [] : [{ type: 'message', role, text }];
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: input } }): UnstampedEvent => ({
      type: 'tool-call',
      callId: id,
      tool: name,
      input: jsonOrText(input),
    }),
  );
  return [...words, ...calls];
}

type Present<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that have a value. */
function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}

function namelessCall(): AssayError {
  return new AssayError('TARGET_CRASHED', 'The agent answered with a tool call that has no name.', {
    hint: 'Check the answer of the endpoint: each tool call must name its tool.',
  });
}

function noAnswer(): AssayError {
  return new AssayError('TARGET_CRASHED', 'The agent answered without a message.', {
    hint: 'Check the answer of the endpoint: it must contain a message of the assistant.',
  });
}
