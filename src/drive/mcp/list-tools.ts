import { AssayError } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { McpRequestOptions, McpSession, ToolDefinition } from './session.ts';

/** A server whose list goes on and on is not asked for ever. */
const mostPages = 200;
const mostTools = 10_000;

/** All pages of the tools of a server, within one time limit. */
export async function listTools(session: McpSession, options: McpRequestOptions): Promise<readonly ToolDefinition[]> {
  if (!isRecord(session.facts.capabilities.tools)) return [];
  const dueAtMs = performance.now() + options.timeoutMs;
  const tools: ToolDefinition[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, page = 0; page < mostPages; page++) {
    const timeoutMs = Math.max(1, Math.round(dueAtMs - performance.now()));
    const params = cursor === undefined ? {} : { cursor };
    const answer = await session.request('tools/list', params, { ...options, timeoutMs });
    if (answer.kind === 'error') throw violation(session, `with the error ${answer.code}: ${answer.message}`);
    tools.push(...toolsOf(session, answer.result.tools));
    const { nextCursor } = answer.result;
    if (typeof nextCursor !== 'string') return tools;
    if (cursors.has(nextCursor)) throw violation(session, 'with the same page again and again');
    if (tools.length > mostTools) throw violation(session, `with more than ${mostTools} tools`);
    cursor = nextCursor;
    cursors.add(cursor);
  }
  throw violation(session, `with more than ${mostPages} pages`);
}

function toolsOf(session: McpSession, tools: unknown): ToolDefinition[] {
  if (!Array.isArray(tools)) throw violation(session, 'without a list of `tools`');
  return tools.map((tool: unknown, index) => {
    if (!isRecord(tool) || typeof tool.name !== 'string')
      throw violation(session, `with a tool that has no name (number ${index + 1})`);
    if (!isRecord(tool.inputSchema))
      throw violation(session, `with the tool "${tool.name}", which has no \`inputSchema\``);
    return tool as ToolDefinition;
  });
}

function violation({ facts }: McpSession, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${facts.label}" answered tools/list ${how}.`);
}
