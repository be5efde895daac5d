import { isRecord } from '../../../shared/json.ts';
import { invalidParams } from '../../../shared/json-rpc.ts';
import { ownToolName, type RewritableTool, rewriteTool, type ToolRewrites } from '../tool-rewrites.ts';
import { type Message, paramsOf, type Stage, type StageEnds } from './stage.ts';

/** Rewrites the tools of a server for the agent, and translates the names of called tools back. */
export class WordingStage implements Stage {
  readonly #rewrites: ToolRewrites;
  readonly #ends: StageEnds;
  readonly #listRequests = new Set<unknown>();

  constructor(rewrites: ToolRewrites, ends: StageEnds) {
    this.#rewrites = rewrites;
    this.#ends = ends;
  }

  fromAgent(request: Message): void {
    const { method, id } = request;
    if (method === 'tools/list' && id !== undefined) this.#listRequests.add(id);
    const params = paramsOf(request);
    const { name } = params;
    if (method !== 'tools/call' || typeof name !== 'string') return void this.#ends.toServer(request);
    const own = ownToolName(name, this.#rewrites);
    if (own === undefined) this.#ends.refuse(request, invalidParams, `Unknown tool: ${name}`);
    else this.#ends.toServer(own === name ? request : { ...request, params: { ...params, name: own } });
  }

  fromServer(answer: Message): void {
    const { method, id, result } = answer;
    const isList = method === undefined && this.#listRequests.delete(id);
    if (!isList || !isRecord(result) || !Array.isArray(result.tools)) return void this.#ends.toAgent(answer);
    const tools = result.tools.map((tool: unknown) => (isTool(tool) ? rewriteTool(tool, this.#rewrites) : tool));
    this.#ends.toAgent({ ...answer, result: { ...result, tools } });
  }
}

function isTool(tool: unknown): tool is RewritableTool {
  return isRecord(tool) && typeof tool.name === 'string';
}
