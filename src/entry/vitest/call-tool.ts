import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { McpRequestOptions, McpSession } from '../../drive/mcp/session.ts';
import type { DebugLog } from './debug-log.ts';
import type { MCPCallResult, MCPContent } from './eval-types.ts';

interface CallRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: McpRequestOptions;
  readonly debug: DebugLog;
}

/** The server answered a call with an error of the protocol. */
export class MCPCallError extends Error {
  override readonly name = 'MCPCallError';
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, code: number, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Calls a tool; an answer with `isError` is an answer. */
export async function callTool(
  session: McpSession,
  { name, args, options, debug }: CallRequest,
): Promise<MCPCallResult> {
  debug(() => `${name}(${JSON.stringify(args)})`);
  const answer = await session.callTool(name, args, options).catch((error: unknown) => rethrown(name, error));
  const took = `${answer.latencyMs.toFixed(1)} ms`;
  if (answer.kind === 'error') {
    debug(() => `${name} answered with error ${answer.code} after ${took}: ${answer.message}`);
    throw new MCPCallError(`${name}: ${answer.message} (MCP error ${answer.code})`, answer.code, answer.data);
  }
  debug(() => `${name} answered after ${took}: ${JSON.stringify(answer.result)}`);
  const { content } = answer.result;
  const sent = { ...answer.result, content: Array.isArray(content) ? (content as MCPContent[]) : [] };
  return withCall(sent, { toolCalls: [{ name, args }], latency: answer.latencyMs });
}

/** Says which call it was; thrown from here, its stack leads to the test. */
function rethrown(name: string, error: unknown): never {
  const { code, message, hint } = asAssayError(error);
  throw new AssayError(code, `${name}: ${message}`, { hint, cause: error });
}

type CallFacts = Pick<MCPCallResult, 'toolCalls' | 'latency'>;

function withCall<Sent extends object>(sent: Sent, facts: CallFacts): Sent & CallFacts {
  const hidden = Object.entries(facts).map(([key, value]) => [key, { value, enumerable: false }]);
  return Object.defineProperties(sent, Object.fromEntries(hidden)) as Sent & CallFacts;
}
