import { isRecord, parseJson } from '../../../shared/json.ts';
import { invalidParams } from '../../../shared/json-rpc.ts';
import { ownToolName, type RewritableTool, rewriteTool, type ToolRewrites } from '../tool-rewrites.ts';

type Message = Readonly<Record<string, unknown>>;

/** The outcome of rewriting a line of the agent. */
interface RewrittenRequest {
  /** For the server; undefined where it needs no change, null where nothing of it is for the server. */
  readonly frame: Buffer | null | undefined;
  /** Requests of the agent that the server must not see, with our answers. */
  readonly refused: readonly { readonly request: Message; readonly answer: Message }[];
}

/** Rewrites the tools of a server for the agent, and translates the names of called tools back. */
export class Wording {
  readonly #rewrites: ToolRewrites;
  readonly #listRequests = new Set<unknown>();

  constructor(rewrites: ToolRewrites) {
    this.#rewrites = rewrites;
  }

  toServer(frame: Buffer): RewrittenRequest {
    const unchanged = { frame: undefined, refused: [] };
    if (!frame.includes('tools')) return unchanged;
    const parsed = parse(frame);
    const messages = parsed.filter(isRecord);
    if (messages.length === 0) return unchanged;
    const refused = messages.flatMap((request) => this.#refusal(request));
    const sent = parsed.filter((message) => !refused.some(({ request }) => request === message));
    const worded = sent.map((message) => (isRecord(message) ? this.#withOwnName(message) : message));
    if (sent.length === 0) return { frame: null, refused };
    const isChanged = sent.length < parsed.length || worded.some((message, index) => message !== sent[index]);
    return { frame: isChanged ? bytesOf(worded, isBatch(frame)) : undefined, refused };
  }

  fromServer(frame: Buffer): Buffer | undefined {
    if (this.#listRequests.size === 0) return undefined;
    const parsed = parse(frame);
    const worded = parsed.map((message) => (isRecord(message) ? this.#withWording(message) : message));
    return worded.some((message, index) => message !== parsed[index]) ? bytesOf(worded, isBatch(frame)) : undefined;
  }

  #refusal(request: Message): RewrittenRequest['refused'] {
    const name = calledTool(request);
    if (name === undefined || ownToolName(name, this.#rewrites) !== undefined) return [];
    const error = { code: invalidParams, message: `Unknown tool: ${name}` };
    return [{ request, answer: { jsonrpc: '2.0', id: request.id ?? null, error } }];
  }

  #withOwnName(request: Message): Message {
    if (request.method === 'tools/list' && request.id !== undefined) this.#listRequests.add(request.id);
    const name = calledTool(request);
    if (name === undefined || !isRecord(request.params)) return request;
    const own = ownToolName(name, this.#rewrites);
    return own === name ? request : { ...request, params: { ...request.params, name: own } };
  }

  #withWording(answer: Message): Message {
    if (answer.method !== undefined || !this.#listRequests.delete(answer.id)) return answer;
    const { result } = answer;
    if (!isRecord(result) || !Array.isArray(result.tools)) return answer;
    const tools = result.tools.map((tool: unknown) => (isTool(tool) ? rewriteTool(tool, this.#rewrites) : tool));
    return { ...answer, result: { ...result, tools } };
  }
}

function calledTool({ method, params }: Message): string | undefined {
  return method === 'tools/call' && isRecord(params) && typeof params.name === 'string' ? params.name : undefined;
}

function isTool(tool: unknown): tool is RewritableTool {
  return isRecord(tool) && typeof tool.name === 'string';
}

/** Older versions of the protocol allow several messages in one line. */
function parse(frame: Buffer): readonly unknown[] {
  const message = parseJson(frame.toString('utf8'));
  if (message === undefined) return [];
  return Array.isArray(message) ? message : [message];
}

function isBatch(frame: Buffer): boolean {
  return frame.toString('utf8').trimStart().startsWith('[');
}

function bytesOf(messages: readonly unknown[], asBatch: boolean): Buffer {
  return Buffer.from(JSON.stringify(asBatch ? messages : messages[0]));
}
