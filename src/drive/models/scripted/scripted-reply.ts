import type { ModelToolCall, ModelUsage } from '../model.ts';
import { type Conversation, estimatedTokens } from './conversation.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { ScriptRule, ScriptToolCall } from './script.ts';

/** A reply as the script wants it, before a dialect writes it down. */
export interface ScriptedReply {
  /** Tells the replies of one server apart. */
  readonly id: string;
  readonly createdAtSecs: number;
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly usage: ModelUsage;
  /** Into how many pieces a stream cuts the text and the arguments of each call. */
  readonly pieceCount: number;
}

/** What a reply is made of. */
export interface ReplyMaterial {
  readonly rule: ScriptRule;
  /** The groups that the rule's pattern caught. */
  readonly match: readonly string[];
  readonly conversation: Conversation;
  readonly id: string;
  readonly model: string;
}

const defaultPieceCount = 3;

/** Makes the reply of a rule to a conversation. */
export function replyOf({ rule, match, conversation, id, model }: ReplyMaterial): ScriptedReply {
  const { reply = '', toolCalls: written } = rule;
  const { text, calls } = contentOf(
    fillPlaceholders({ reply, calls: written }, conversation, match),
    conversation.demandedTool,
  );
  const toolCalls = calls.map(({ name, input }, index) => ({ callId: `call_${id}_${index + 1}`, tool: name, input }));
  const characters = calls.reduce((total, { input }) => total + JSON.stringify(input).length, text.length);
  return {
    id,
    createdAtSecs: Math.floor(Date.now() / 1_000),
    model,
    text,
    toolCalls,
    usage: {
      inputTokens: rule.usage?.input ?? estimatedTokens(conversation.characters),
      outputTokens: rule.usage?.output ?? estimatedTokens(characters),
    },
    pieceCount: rule.chunks ?? defaultPieceCount,
  };
}

interface FilledRule {
  readonly reply: NonNullable<ScriptRule['reply']>;
  readonly calls: readonly ScriptToolCall[];
}

interface ReplyContent {
  readonly text: string;
  readonly calls: readonly ScriptToolCall[];
}

/** Clients that want JSON may demand the call of a tool that takes it; JSON then is the input of that tool. */
function contentOf({ reply, calls }: FilledRule, demandedTool: string | undefined): ReplyContent {
  if (typeof reply === 'string') return { text: reply, calls };
  if (demandedTool !== undefined && calls.length === 0)
    return { text: '', calls: [{ name: demandedTool, input: reply.json }] };
  return { text: JSON.stringify(reply.json), calls };
}

/** A text in so many pieces of whole characters, or fewer when it is short. */
export function piecesOf(text: string, count: number): string[] {
  const size = Math.ceil(text.length / count);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    // The second half of a surrogate pair stays with the first.
    const end = /[\uDC00-\uDFFF]/.test(text.charAt(at + size)) ? at + size + 1 : at + size;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
