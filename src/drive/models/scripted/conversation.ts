import type { ModelMessage } from '../model.ts';

/** A tool that a request offers; freeform ones take text instead of JSON. */
export interface OfferedTool {
  readonly name: string;
  readonly isFreeform: boolean;
  /** The group that it came in, which a call has to name beside it. */
  readonly namespace?: string | undefined;
}

/** What a request says, whichever provider's dialect it is written in. */
export interface ConversationContent {
  /** Name of the dialect. */
  readonly path: string;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  /** The one tool that the request demands to be called. */
  readonly demandedTool?: string | undefined;
}

/** A request, and what the conditions of rules ask about it. */
export interface Conversation extends ConversationContent {
  /** Text of the last message of the user. */
  readonly last: string;
  /** Texts of the tool results that came after the model's last reply. */
  readonly toolResult: string;
  /** The how-manieth reply of the model is asked for, from 1. */
  readonly turn: number;
  readonly characters: number;
}

/** Completes a request with what follows from its messages. */
export function conversationOf(content: ConversationContent): Conversation {
  const { messages, system } = content;
  const sinceLastReply = messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1);
  return {
    ...content,
    last: messages.findLast((message) => message.role === 'user')?.content ?? '',
    toolResult: sinceLastReply.flatMap((message) => (message.role === 'tool' ? [message.content] : [])).join('\n'),
    turn: 1 + messages.filter((message) => message.role === 'assistant').length,
    characters: messages.reduce((total, message) => total + charactersOf(message), system.length),
  };
}

/** A rough count of tokens, which is all that a scripted model needs. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

function charactersOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return calls.reduce((total, { input }) => total + (JSON.stringify(input)?.length ?? 0), message.content.length);
}
