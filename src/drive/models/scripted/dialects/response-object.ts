import type { OfferedTool } from '../conversation.ts';
import type { ScriptedReply } from '../scripted-reply.ts';
import type { JsonObject } from './dialect.ts';

/** One item of a response's output. */
export type OutputItem =
  | { readonly kind: 'text'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly type: CallType;
      readonly fields: JsonObject;
      readonly input: string;
    };

type CallType = 'function_call' | 'custom_tool_call';

/** What the ids of responses begin with, before the id of the reply. */
export const responseIdPrefix = 'resp_';

/** The output of a reply; tools that take text get it as it is, and those of a group are called with its name. */
export function itemsOf({ id, text, toolCalls }: ScriptedReply, offered: readonly OfferedTool[]): OutputItem[] {
  const calls = toolCalls.map(({ callId, tool, input }, index): OutputItem => {
    const { isFreeform = false, namespace } = offered.find(({ name }) => name === tool) ?? {};
    const isText = isFreeform && typeof input === 'string';
    return {
      kind: 'call',
      id: `${isText ? 'ctc' : 'fc'}_${id}_${index + 1}`,
      type: isText ? 'custom_tool_call' : 'function_call',
      fields: { call_id: callId, name: tool, ...(namespace !== undefined && { namespace }) },
      input: isText ? input : JSON.stringify(input),
    };
  });
  return text === '' && calls.length > 0 ? calls : [{ kind: 'text', id: `msg_${id}`, text }, ...calls];
}

/** An item as it stands in the output; without its content when it has only begun. */
export function renderItem(item: OutputItem, isComplete = true): JsonObject {
  const status = isComplete ? 'completed' : 'in_progress';
  if (item.kind === 'text')
    return {
      id: item.id,
      type: 'message',
      status,
      role: 'assistant',
      content: isComplete ? [textPart(item.text)] : [],
    };
  const inputField = item.type === 'custom_tool_call' ? 'input' : 'arguments';
  return { id: item.id, type: item.type, status, ...item.fields, [inputField]: isComplete ? item.input : '' };
}

/** The part of a message that holds its text. */
export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** The response as a whole; without output and usage when it has only begun. */
export function responseOf(
  { id, createdAtSecs, model, usage: { inputTokens, outputTokens } }: ScriptedReply,
  previousId: string | null,
  items: readonly OutputItem[] | undefined,
): JsonObject {
  return {
    id: `${responseIdPrefix}${id}`,
    object: 'response',
    created_at: createdAtSecs,
    status: items ? 'completed' : 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: (items ?? []).map((item) => renderItem(item)),
    parallel_tool_calls: true,
    previous_response_id: previousId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: items
      ? {
          input_tokens: inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: inputTokens + outputTokens,
        }
      : null,
  };
}
