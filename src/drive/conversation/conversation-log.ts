import { type Attachment, attachmentArtifact, attachmentsOf, messageWithAttachments } from '../../domain/attachment.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import { type Message, messageText } from '../../domain/message.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { answerEvents, messageEvents, present } from '../connectors/answer-events.ts';
import type { ConnectorResponse } from '../connectors/connector.ts';
import { callIdsIn, distinctCalls } from '../connectors/wire/distinct-calls.ts';
import { namelessTool } from '../wire/content-blocks.ts';

/** The conversation so far, as it is sent to the agent and as the trace keeps it. */
export class ConversationLog {
  /** Without system messages, except those of a prompt: the others are for the model that plays the user. */
  readonly messages: Message[] = [];
  readonly #emit: EmitTrace;
  /** Whether the artifacts hold the attachments. */
  readonly #keepsFiles: boolean;
  #spokenCount = 0;
  #seenCount = 0;

  constructor(emit: EmitTrace, keepsFiles = false) {
    this.#emit = emit;
    this.#keepsFiles = keepsFiles;
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

  /** A message that was there before the conversation began; system messages are for the agent only in a prompt. */
  begin(message: Message, isPrompt = false): void {
    if (message.role === 'system' && !isPrompt) this.#emitMessage(message);
    else this.#add(message);
  }

  /** The user's words. */
  say(text: string, attachments: readonly Attachment[] = []): void {
    this.#add(attachments.length > 0 ? messageWithAttachments(text, attachments) : { role: 'user', content: text });
  }

  /** The agent's answer. */
  hear(response: ConnectorResponse, number: number): void {
    const { latencyMs, timeToFirstTokenMs, usage, costUsd, reports } = response;
    const { messages, gaps } = distinctCalls(
      response.messages.filter(({ role }) => role === 'assistant' || role === 'tool'),
      { open: callIdsIn(this.messages) },
    );
    const problem = problemOf(messages);
    if (!response.isTraced) {
      // An answer that cannot be used was still paid for.
      const losses = [...(response.gaps ?? []), ...gaps, ...unspoken(messages)];
      const heard = { ...response, messages: problem ? [] : messages, gaps: losses };
      for (const event of answerEvents(heard)) this.#emit(event);
    }
    if (problem) throw problem;
    for (const message of messages) this.#count(message);
    this.#seenCount = this.messages.length;
    const measured = { latencyMs, ...present({ timeToFirstTokenMs, usage, costUsd }) };
    const declared = reports && reports.length > 0 ? { reports: [...reports] } : {};
    this.#emit({ type: 'turn', seenBy: 'recorder', number, messages, ...measured, ...declared });
  }

  #add(message: Message): void {
    this.#count(message);
    this.#emitMessage(message);
  }

  #count(message: Message): void {
    this.messages.push(message);
    if (message.role !== 'tool' && message.role !== 'system' && messageText(message).trim() !== '') this.#spokenCount++;
  }

  #emitMessage(message: Message): void {
    const attachments = attachmentsOf(message).map((attachment) => ({
      ...attachment,
      ...(this.#keepsFiles && { file: attachmentArtifact(attachment) }),
    }));
    for (const event of messageEvents(message)) {
      const isAttached = event.type === 'message' && attachments.length > 0;
      this.#emit({ ...event, ...(isAttached && { attachments }), seenBy: 'engine' });
    }
  }
}

/** An answer that ends with the result of a tool, and has no words at all, has lost them. */
function unspoken(messages: readonly Message[]): Loss[] {
  const isSpoken = messages.some((message) => message.role === 'assistant' && messageText(message).trim() !== '');
  if (isSpoken || messages.at(-1)?.role !== 'tool') return [];
  return [{ channels: ['answers', 'tool-calls'], reason: 'the answer ends with the result of a tool' }];
}

/** Why an answer cannot be used; undefined when it can. */
function problemOf(messages: readonly Message[]): AssayError | undefined {
  const isNameless = messages.some(({ tool_calls = [] }) =>
    tool_calls.some((call) => call.function.name === namelessTool),
  );
  if (isNameless) return namelessCall();
  return messages.length === 0 ? noAnswer() : undefined;
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
