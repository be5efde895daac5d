import type { KnownUsage } from '../../../domain/usage.ts';
import type { ModelMessage, ModelToolCall } from '../model.ts';

/** A tool that a request offers; freeform ones take text instead of JSON. */
interface OfferedTool {
  readonly name: string;
  readonly isFreeform: boolean;
  /** The group that it came in, which a call has to name beside it. */
  readonly namespace?: string | undefined;
}

/** The content of a request in any provider's dialect. */
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
  /** True where only rules that name its path answer it. */
  readonly needsOwnRule?: boolean | undefined;
}

/** A request, and what the conditions of rules ask about it. */
export interface Conversation extends ConversationContent {
  /** Text of the last message of the user. */
  readonly last: string;
  /** Texts of the tool results since the last reply of the model. */
  readonly toolResult: string;
  /** The number of the requested reply, from 1. */
  readonly turn: number;
  readonly characters: number;
}

/** A reply as the script wants it, before a dialect writes it down. */
export interface ScriptedReply {
  /** Unique among the replies of one server. */
  readonly id: string;
  readonly createdAtSecs: number;
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly usage: KnownUsage;
  /** Into how many pieces a stream cuts the text and the arguments of each call. */
  readonly pieceCount: number;
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
