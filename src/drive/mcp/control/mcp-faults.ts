import { differenceOfValues } from '../../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { invalidParams } from '../../../shared/json-rpc.ts';
import type { FaultyBorder } from '../../tool-control/faults/fault-rule.ts';
import { failureText, otherTypes } from '../../tool-control/faults/text-faults.ts';
import { failedResult, type McpReply } from './mcp-reply.ts';

/** How calls of tools of MCP servers fail. */
export const mcpFaults: FaultyBorder<McpReply> = {
  hasArguments: ({ args }, wanted) => differenceOfValues(wanted, args, 'subset') === undefined,
  failure: (fault) => ({ kind: 'result', result: failedResult(failureText(fault)) }),
  unanswered: { kind: 'silent' },
  dropped: {
    kind: 'unanswered',
    end: { code: 'MCP_SERVER_DIED', what: 'closed the connection', isInjected: true },
  },
  restarted: (rule) => ({ kind: 'restart', rule }),
  removed: (tool) => ({ kind: 'error', error: { code: invalidParams, message: `Unknown tool: ${tool}` } }),
  emptied(reply) {
    if (reply.kind !== 'result') return reply;
    const { structuredContent: data, ...result } = reply.result;
    const { content } = result;
    if (data === undefined && Array.isArray(content) && content.length === 0) return reply;
    return { kind: 'result', result: { ...result, content: [] } };
  },
  withTexts(reply, change, kind) {
    if (reply.kind !== 'result' || !Array.isArray(reply.result.content)) return reply;
    const { structuredContent: data, ...result } = reply.result;
    const before: readonly unknown[] = reply.result.content;
    const content = before.map((block) => withText(block, change));
    const isChanged = content.some((block, index) => block !== before[index]);
    if (kind === 'schema-breaking' && data !== undefined)
      return { kind: 'result', result: { ...result, content, structuredContent: otherTypes(data) } };
    return isChanged ? { kind: 'result', result: { ...result, content } } : reply;
  },
};

function withText(block: unknown, change: (text: string) => string): unknown {
  if (!isRecord(block) || typeof block.text !== 'string') return block;
  const text = change(block.text);
  return text === block.text ? block : { ...block, text };
}
