import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { textOfResult } from '../../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../../shared/json.ts';
import { methodNotFound } from '../../../shared/json-rpc.ts';
import { legacyVersions } from '../../mcp/protocol-versions.ts';
import type { McpAnswer, ToolDefinition } from '../../mcp/session.ts';
import type { RequestId, Wire, WireListener } from '../../mcp/wire/wire.ts';
import { asText } from '../wire/messages.ts';
import { answerOf } from './mcp-tools.ts';
import type { CallableTools, RunnableTool, ToolAnswer } from './runnable-tool.ts';

type Data = Readonly<Record<string, unknown>>;

/** In `_meta` of tools and results, for facts that MCP has no place for. */
const factsKey = 'assay/facts';

/**
 * The tools of a conversation as an MCP server in this process: what stands in front of servers stands in front of them
 * too. They are opened at the first request.
 */
export class ToolsWire implements Wire {
  readonly processTag = undefined;
  readonly #open: () => Promise<CallableTools>;
  readonly #listener: WireListener;
  readonly #calls = new Map<RequestId, AbortController>();

  constructor(open: () => Promise<CallableTools>, listener: WireListener) {
    this.#open = open;
    this.#listener = listener;
  }

  send({ id, method, params }: Data): undefined {
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return undefined;
    const stop = new AbortController();
    this.#calls.set(id, stop);
    void this.#reply(id, method, isRecord(params) ? params : {}, stop.signal);
    return undefined;
  }

  async #reply(id: RequestId, method: string, params: Data, signal: AbortSignal): Promise<void> {
    const given = await this.#answer(method, params, signal).catch((error: unknown) => asAssayError(error));
    if (!this.#calls.delete(id)) return;
    if (given instanceof AssayError)
      this.#listener.onUnanswered(id, { code: given.code, what: `failed: ${given.message}` });
    else this.#listener.onMessage({ jsonrpc: '2.0', id, ...given });
  }

  async #answer(method: string, params: Data, signal: AbortSignal): Promise<Data> {
    switch (method) {
      case 'initialize':
        return { result: greeting(params) };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: { tools: (await this.#open()).tools.map(definitionOf) } };
      case 'tools/call':
        return { result: resultOf(await (await this.#open()).run(String(params.name), params.arguments, signal)) };
      default:
        return { error: { code: methodNotFound, message: `Method not found: ${method}` } };
    }
  }

  cancel(requestId: RequestId): boolean {
    this.#calls.get(requestId)?.abort();
    this.#calls.delete(requestId);
    return true;
  }

  useProtocolVersion(): void {
    // There is only one.
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#calls.keys()]) this.cancel(id);
  }
}

function greeting({ protocolVersion }: Data): Data {
  const spoken = legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0];
  return { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: { name: 'toolLoop', version: '1' } };
}

/** Servers describe arguments as an object, and tools of a file may have any schema. */
function definitionOf({ name, description, inputSchema, annotations, kind, server, serverTitle }: RunnableTool): Data {
  const facts = { kind, server, serverTitle, ...(inputSchema.type !== 'object' && { inputSchema }) };
  return {
    ...{ name, description, inputSchema: { ...inputSchema, type: 'object' } },
    ...(annotations && { annotations }),
    _meta: { [factsKey]: facts },
  };
}

/** A tool that was listed, as it was before; one that Assay offers beside it is of no kind. */
export function listedTool({ name, description = '', inputSchema, _meta }: ToolDefinition): Omit<RunnableTool, 'run'> {
  return { name, description, inputSchema, kind: 'other', ...(factsIn(_meta) as Partial<RunnableTool>) };
}

/** An answer as a result of MCP. A text that looks like data stays a text. */
function resultOf(answer: ToolAnswer): Data {
  if (!('error' in answer)) {
    const facts = typeof answer.result === 'string' ? { _meta: { [factsKey]: { isText: true } } } : {};
    return { content: [{ type: 'text', text: asText(answer.result) }], ...facts };
  }
  const { message, ...error } = answer.error;
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { [factsKey]: { error } } };
}

/** The same answer again, whatever was done to it in between. */
export function listedAnswer(answer: McpAnswer): ToolAnswer {
  if (answer.kind === 'error') return answerOf(answer);
  const by = answer.answeredBy && { answeredBy: answer.answeredBy };
  const { isText, error } = factsIn(answer.result._meta);
  const text = textOfResult(answer.result) ?? '';
  if (isRecord(error)) return { error: { ...error, message: text }, ...by };
  return isText === true || (text === '' && answer.result.isError !== true)
    ? { result: text, ...by }
    : answerOf(answer);
}

function factsIn(meta: unknown): Data {
  const facts = isRecord(meta) ? meta[factsKey] : undefined;
  return isRecord(facts) ? facts : {};
}
