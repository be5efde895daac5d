import { isRecord } from '../../../shared/json.ts';
import { internalError, invalidParams } from '../../../shared/json-rpc.ts';
import { isModernRequest, metaOf } from '../protocol-versions.ts';
import type { ToolDefinition } from '../session.ts';
import { answerText, type CallOutcome, type ServerCall } from '../surfaces/call-tool.ts';
import type { Surface, SurfaceCall } from '../surfaces/make-surface.ts';
import type { ChosenSurface } from '../surfaces/tool-surface.ts';
import type { MessageLog } from './message-log.ts';
import { errorAnswer, type Message, paramsOf, type Stage, type StageEnds } from './stage.ts';

interface SurfaceRequest {
  /** Names of a subset are those that the agent sees. */
  readonly chosen: ChosenSurface;
  /** Makes what the agent gets to see of the tools that the server lists. */
  readonly offer: (tools: readonly ToolDefinition[]) => Promise<Surface>;
  readonly log: Pick<MessageLog, 'surfaceCall'>;
  /** Aborted when the talk is over. */
  readonly signal: AbortSignal;
}

/**
 * Offers the tools of a server to the agent in another way. The server gets the calls that are meant, under its own
 * names, and the log has them so; searches and programs are answered here.
 */
export class SurfaceStage implements Stage {
  readonly #request: SurfaceRequest;
  readonly #ends: StageEnds;
  /** Requests of the agent for the tools, with what they sent along. */
  readonly #lists = new Map<unknown, Message>();
  readonly #running = new Map<unknown, AbortController>();
  /** Requests that the agent did not make, and that wait for answers, which it does not get. */
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  #ownCount = 0;
  #surface: Promise<Surface> | undefined;

  constructor(request: SurfaceRequest, ends: StageEnds) {
    this.#request = request;
    this.#ends = ends;
  }

  fromAgent(message: Message): void {
    const { method, id } = message;
    const { name, requestId } = paramsOf(message);
    const running = method === 'notifications/cancelled' ? this.#running.get(requestId) : undefined;
    if (running) return void running.abort();
    if (method === 'tools/list' && id !== undefined) this.#lists.set(id, passedMeta(message));
    if (method !== 'tools/call' || id === undefined) return void this.#ends.toServer(message);
    const { chosen } = this.#request;
    if (chosen.kind === 'subset') {
      if (typeof name === 'string' && chosen.tools.includes(name)) this.#ends.toServer(message);
      else this.#ends.refuse(message, invalidParams, `Unknown tool: ${String(name)}`);
      return;
    }
    this.#call(message).catch((error: unknown) => this.#fail(message, error));
  }

  fromServer(message: Message): void {
    const { method, id, result } = message;
    if (method === 'notifications/tools/list_changed') this.#surface = undefined;
    const take = method === undefined ? this.#waiting.get(id) : undefined;
    if (take) {
      this.#waiting.delete(id);
      return void take(message);
    }
    const meta = method === undefined ? this.#lists.get(id) : undefined;
    if (meta) this.#lists.delete(id);
    if (meta && isRecord(result)) this.#listed(message, result, meta);
    else this.#ends.toAgent(message);
  }

  #fail(request: Message, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#ends.toAgent(errorAnswer(request, internalError, why));
  }

  async #call(message: Message): Promise<void> {
    const params = paramsOf(message);
    this.#surface ??= this.#listAll(passedMeta(message), []).then(this.#request.offer);
    // A list that could not be had is requested again by the next call.
    this.#surface.catch(() => {
      this.#surface = undefined;
    });
    const surface = await this.#surface;
    const called = { callId: '', tool: String(params.name), input: params.arguments };
    const meant = surface.read(called);
    if (meant.kind !== 'server') return this.#run(message, called, meant);
    const { tool, input, refusal } = meant.call;
    const asServer = { ...message, params: { ...params, name: tool, arguments: input } };
    if (refusal === undefined) this.#ends.toServer(asServer);
    else this.#ends.refuse(asServer, invalidParams, refusal);
  }

  async #run(
    message: Message,
    { tool, input }: { readonly tool: string; readonly input: unknown },
    meant: Exclude<SurfaceCall, { kind: 'server' }>,
  ): Promise<void> {
    const began = performance.now();
    const stop = new AbortController();
    this.#running.set(message.id, stop);
    try {
      const signal = AbortSignal.any([stop.signal, this.#request.signal]);
      const { text, error } = await meant.run((call) => this.#callOfProgram(call, passedMeta(message)), signal);
      const durationMs = Math.round((performance.now() - began) * 100) / 100;
      this.#request.log.surfaceCall({ tool, input, durationMs, output: text, ...(error !== undefined && { error }) });
      this.#ends.toAgent(ownAnswer(message, text, error !== undefined));
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      this.#running.delete(message.id);
    }
  }

  async #callOfProgram({ tool, input, refusal }: ServerCall, meta: Message): Promise<CallOutcome> {
    const call = { ...meta, name: tool, arguments: input };
    return outcomeOf(await this.#ask('tools/call', call, refusal));
  }

  /** A request to the server that the agent did not make; one that is refused is on record, and does not reach it. */
  #ask(method: string, params: Message, refusal?: string): Promise<Message> {
    const request = { jsonrpc: '2.0', id: `assay-surface-${++this.#ownCount}`, method, params };
    return new Promise((resolve) => {
      if (refusal !== undefined) return resolve(this.#ends.recordRefusal(request, invalidParams, refusal));
      this.#waiting.set(request.id, resolve);
      this.#ends.toServer(request);
    });
  }

  /** All pages; what the agent sent along with its request goes with each. */
  async #listAll(meta: Message, before: readonly ToolDefinition[], cursor?: string): Promise<ToolDefinition[]> {
    const answer = await this.#ask('tools/list', { ...meta, ...(cursor !== undefined && { cursor }) });
    const { result, error } = answer;
    if (!isRecord(result)) throw new Error(isRecord(error) ? String(error.message) : 'The server lists no tools.');
    const tools = [...before, ...toolsIn(result)];
    return hasMore(result) ? this.#listAll(meta, tools, result.nextCursor) : tools;
  }

  #listed(message: Message, result: Message, meta: Message): void {
    const { chosen, offer } = this.#request;
    if (chosen.kind === 'subset') {
      const tools = toolsIn(result).filter(({ name }) => chosen.tools.includes(name));
      return void this.#ends.toAgent({ ...message, result: { ...result, tools } });
    }
    const { nextCursor: _cursor, ...rest } = result;
    const listed = toolsIn(result);
    const all = hasMore(result) ? this.#listAll(meta, listed, result.nextCursor) : Promise.resolve(listed);
    this.#surface = all.then(offer);
    this.#surface.then(
      (surface) => this.#ends.toAgent({ ...message, result: { ...rest, tools: surface.forModel } }),
      (error: unknown) => {
        this.#surface = undefined;
        this.#fail(message, error);
      },
    );
  }
}

/** Metadata that every request of a version without sessions has to carry; a token for progress is of one request only. */
function passedMeta({ params }: Message): Message {
  const { progressToken: _token, ...meta } = metaOf(params);
  return isRecord(params) && isRecord(params._meta) ? { _meta: meta } : {};
}

function toolsIn({ tools }: Message): ToolDefinition[] {
  const listed: unknown[] = Array.isArray(tools) ? tools : [];
  return listed.filter((tool): tool is ToolDefinition => isRecord(tool) && typeof tool.name === 'string');
}

function hasMore(result: Message): result is Message & { readonly nextCursor: string } {
  return typeof result.nextCursor === 'string' && result.nextCursor !== '';
}

/** The answer to a search or a program, in the form that the version of the request wants. */
function ownAnswer({ id, params }: Message, text: string, isError: boolean): Message {
  const result = {
    ...(isModernRequest(params) && { resultType: 'complete' }),
    content: [{ type: 'text', text }],
    ...(isError && { isError: true }),
  };
  return { jsonrpc: '2.0', id, result };
}

/** An answer of the server, as a program gets it. */
function outcomeOf({ result, error }: Message): CallOutcome {
  if (!isRecord(result)) {
    const message = isRecord(error) ? String(error.message) : 'The answer has no result.';
    return { error: { message }, text: `Error: ${message}` };
  }
  if (result.resultType === 'input_required') {
    const message = 'The tool needs input, which a program cannot give.';
    return { result, error: { message }, text: `Error: ${message}` };
  }
  const text = answerText(result);
  return result.isError === true ? { result, error: { message: text }, text: `Error: ${text}` } : { result, text };
}
