import { isRecord } from '../../../../shared/json.ts';
import type { ModelMessage } from '../../model.ts';
import { type Conversation, conversationOf, type ScriptedReply } from '../conversation.ts';
import type { Dialect, JsonObject } from './dialect.ts';
import { contentText, demandedTool, filesIn, recordsIn, requiredRecords, textIn } from './wire-format.ts';

const methodPath = /^\/model\/([^/]+)\/converse$/;

/** Amazon Bedrock's Converse, without streams. */
export const converse: Dialect = {
  name: 'converse',
  environment: (url) => ({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
  taskOf({ method, pathname }) {
    const [, model] = (method === 'POST' && methodPath.exec(pathname)) || [];
    if (model === undefined) return undefined;
    return {
      kind: 'converse',
      open: (body) => ({
        conversation: read(body, decodeURIComponent(model)),
        streamType: 'application/json',
        whole,
        frames: (reply) => [JSON.stringify(whole(reply))],
      }),
    };
  },
  renderError: (_status, message) => ({ message }),
};

function read(body: JsonObject, model: string): Conversation {
  const { tools: written, toolChoice } = isRecord(body.toolConfig) ? body.toolConfig : {};
  const tools = recordsIn(written).flatMap(({ toolSpec }) =>
    isRecord(toolSpec) ? [{ name: textIn(toolSpec.name), isFreeform: false }] : [],
  );
  const { tool, any } = isRecord(toolChoice) ? toolChoice : {};
  return conversationOf({
    path: converse.name,
    model,
    isStreaming: false,
    system: contentText(body.system),
    messages: requiredRecords(body, 'messages').flatMap(readTurn),
    tools,
    demandedTool: demandedTool(isRecord(tool) ? tool.name : undefined, any !== undefined, tools),
  });
}

function readTurn({ role, content }: JsonObject): ModelMessage[] {
  const blocks = recordsIn(content);
  const text = contentText(blocks);
  if (role === 'assistant') {
    const toolCalls = blocks.flatMap(({ toolUse }) =>
      isRecord(toolUse)
        ? [{ callId: textIn(toolUse.toolUseId), tool: textIn(toolUse.name), input: toolUse.input ?? {} }]
        : [],
    );
    return [{ role: 'assistant', content: text, toolCalls }];
  }
  const results = blocks.flatMap(({ toolResult }): ModelMessage[] =>
    isRecord(toolResult)
      ? [{ role: 'tool', callId: textIn(toolResult.toolUseId), tool: '', content: contentText(toolResult.content) }]
      : [],
  );
  return text === '' && results.length > 0
    ? results
    : [...results, { role: 'user', content: text, ...filesIn(blocks) }];
}

function whole({ text, toolCalls, usage }: ScriptedReply): unknown {
  const { inputTokens, outputTokens } = usage;
  const calls = toolCalls.map(({ callId, tool, input }) => ({ toolUse: { toolUseId: callId, name: tool, input } }));
  return {
    output: { message: { role: 'assistant', content: [...(text === '' ? [] : [{ text }]), ...calls] } },
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    metrics: { latencyMs: 1 },
  };
}
