import { type Conversation, estimatedTokens, type ScriptedReply } from './conversation.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { ScriptRule, ScriptToolCall } from './script.ts';

/** The input of a reply. */
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
