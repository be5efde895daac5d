import { AssayError } from '../../../domain/errors.ts';
import type { ToolError } from '../../../domain/trace.ts';
import type { McpRequestOptions, McpSession } from '../../../mcp/session.ts';
import type { ModelToolCall } from '../../../models/model.ts';
import { isRecord } from '../../../shared/json.ts';
import { answerText, bounded } from './answer-text.ts';
import type { OfferedTools } from './offered-tools.ts';

/** A call of a model in the words of the server. */
export interface ServerCall {
  readonly tool: string;
  readonly input: unknown;
  /** Why it cannot be made; undefined where it can. */
  readonly refusal: string | undefined;
}

/** What became of a call: what the trace keeps, and what the model is told. */
export interface CallOutcome {
  readonly result?: unknown;
  readonly error?: ToolError;
  readonly text: string;
  /** Why no further call can be made. */
  readonly fault?: AssayError;
}

/** Which tool of the server a model means, and with which arguments. */
export function serverCall({ tool: name, input: given }: ModelToolCall, offered: OfferedTools): ServerCall {
  const tool = offered.find(name);
  // Some models say nothing at all where a tool takes no arguments.
  const input = given ?? {};
  if (!tool) return { tool: name, input, refusal: offered.unknown(name) };
  if (isRecord(input)) return { tool: tool.ownName, input: tool.ownArguments(input), refusal: undefined };
  return { tool: tool.ownName, input, refusal: 'The arguments must be one JSON object.' };
}

/** Makes a call. A tool that fails or takes too long has answered; a server that breaks gives a fault. */
export async function callTool(
  { tool, input, refusal }: ServerCall,
  session: McpSession,
  options: McpRequestOptions,
): Promise<CallOutcome> {
  if (refusal !== undefined || !isRecord(input)) return failed({ message: refusal ?? 'It has no arguments.' });
  try {
    const answer = await session.callTool(tool, input, options);
    if (answer.kind === 'error') {
      const { code, message, data } = answer;
      return failed({ message, code, ...(data !== undefined && { data }) });
    }
    const { result } = answer;
    const text = answerText(result);
    return result.isError === true ? { ...failed({ message: text }), result } : { result, text };
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || options.signal?.aborted) throw thrown;
    const { code, message } = thrown;
    const outcome = failed({ message, code });
    return code === 'MCP_SERVER_TIMEOUT' ? outcome : { ...outcome, fault: thrown };
  }
}

function failed(error: ToolError): CallOutcome {
  return { error, text: bounded(`Error: ${error.message}`) };
}
