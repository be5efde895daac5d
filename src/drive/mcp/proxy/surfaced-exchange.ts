import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { internalError, invalidParams } from '../../../shared/json-rpc.ts';
import { metaOf } from '../meta.ts';
import type { ToolDefinition } from '../session.ts';
import type { ServerCall } from '../surfaces/call-tool.ts';
import type { Surface, SurfaceCall } from '../surfaces/surface.ts';
import type { ChosenSurface } from '../surfaces/tool-surface.ts';
import type { MakeExchange, MessageExchange } from './exchange.ts';
import type { Direction } from './log-reader.ts';
import type { MessageLog } from './message-log.ts';
import { type Message, OwnRequests } from './own-requests.ts';
import { errorAnswer, outcomeOf, ownAnswer } from './surface-answers.ts';

/** Makes what the agent gets to see of the tools that the server lists. */
export type OfferTools = (tools: readonly ToolDefinition[]) => Promise<Surface>;

interface SurfaceRequest {
  /** Names of a subset are those that the agent sees. */
  readonly chosen: ChosenSurface;
  readonly offer: OfferTools;
  readonly log: MessageLog;
  /** Aborted when the talk is over. */
  readonly signal: AbortSignal;
}

const listMethod = 'tools/list';
const callMethod = 'tools/call';
const cancelMethod = 'notifications/cancelled';
const changedMethod = 'notifications/tools/list_changed';

/**
 * Offers the tools of a server to the agent in another way. The server gets the calls that are meant, under its own
 * names, and the log has them so; searches and programs are answered here.
 */
export class SurfacedExchange implements MessageExchange {
  readonly #request: SurfaceRequest;
  readonly #inner: MessageExchange;
  readonly #answerAgent: (frame: Buffer) => void;
  readonly #own: OwnRequests;
  /** Requests of the agent for the tools, with what they sent along. */
  readonly #lists = new Map<unknown, Message>();
  readonly #running = new Map<unknown, AbortController>();
  #surface: Promise<Surface> | undefined;

  constructor(request: SurfaceRequest, sides: Parameters<MakeExchange>[0], makeInner: MakeExchange) {
    this.#request = request;
    this.#answerAgent = sides.answerAgent;
    this.#inner = makeInner({
      askServer: sides.askServer,
      answerAgent: (frame) => {
        const instead = this.#toAgent(frame);
        if (instead !== null) sides.answerAgent(instead ?? frame);
      },
    });
    this.#own = new OwnRequests((message) => {
      const frame = bytesOf(message);
      const sent = this.#inner.toServer(frame);
      if (sent !== null) sides.askServer(sent ?? frame);
    });
  }

  toServer(frame: Buffer): Buffer | null | undefined {
    if (!frame.includes('tools/') && !frame.includes(cancelMethod)) return this.#inner.toServer(frame);
    const sent: Buffer[] = [];
    for (const message of messagesIn(frame)) {
      if (this.#takes(message)) continue;
      const single = bytesOf(message);
      const passed = this.#inner.toServer(single);
      if (passed !== null) sent.push(passed ?? single);
    }
    return sent.length === 0 ? null : joined(sent);
  }

  fromServer(frame: Buffer, answeredBy?: ControlKind): Buffer | null | undefined {
    const passed = this.#inner.fromServer(frame, answeredBy);
    if (passed === null) return null;
    const instead = this.#toAgent(passed ?? frame);
    return instead === undefined ? passed : instead;
  }

  answerFor(answer: Message): Buffer | null {
    const passed = this.#inner.answerFor(answer);
    if (passed === null) return null;
    const instead = this.#toAgent(passed);
    return instead === undefined ? passed : instead;
  }

  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#inner.oversized(direction, bytes, edges);
  }

  /** Whether a message of the agent is dealt with here; any other goes to the server. */
  #takes(message: Message): boolean {
    const { method, id, params } = message;
    if (method === listMethod && id !== undefined) {
      this.#lists.set(id, passedMeta(message));
      return false;
    }
    if (method === cancelMethod) return this.#cancel(params);
    if (method !== callMethod || id === undefined) return false;
    return this.#request.chosen.kind === 'subset'
      ? this.#refusesOutside(message, this.#request.chosen.tools)
      : this.#call(message);
  }

  #refusesOutside(message: Message, tools: readonly string[]): boolean {
    const { name } = isRecord(message.params) ? message.params : {};
    if (typeof name === 'string' && tools.includes(name)) return false;
    this.#refuse(message, `Unknown tool: ${String(name)}`);
    return true;
  }

  #cancel(params: unknown): boolean {
    const running = isRecord(params) ? this.#running.get(params.requestId) : undefined;
    running?.abort();
    return running !== undefined;
  }

  #call(message: Message): true {
    void this.#read(message).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      this.#answerAgent(bytesOf(errorAnswer(message, internalError, why)));
    });
    return true;
  }

  async #read(message: Message): Promise<void> {
    const params = isRecord(message.params) ? message.params : {};
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
    if (refusal !== undefined) this.#refuse(asServer, refusal);
    else this.#own.pass(asServer);
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
      this.#answerAgent(bytesOf(ownAnswer(message, text, error !== undefined)));
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      this.#running.delete(message.id);
    }
  }

  async #callOfProgram({ tool, input, refusal }: ServerCall, meta: Message) {
    const request = this.#own.make(callMethod, { ...meta, name: tool, arguments: input });
    const answer = refusal === undefined ? await this.#own.ask(request) : errorAnswer(request, invalidParams, refusal);
    if (refusal !== undefined) this.#logRefusal(request, answer);
    return outcomeOf(answer);
  }

  /** All pages; what the agent sent along with its request goes with each. */
  async #listAll(meta: Message, before: readonly ToolDefinition[], cursor?: string): Promise<ToolDefinition[]> {
    const answer = await this.#own.ask(
      this.#own.make(listMethod, { ...meta, ...(cursor !== undefined && { cursor }) }),
    );
    const { result, error } = answer;
    if (!isRecord(result)) throw new Error(isRecord(error) ? String(error.message) : 'The server lists no tools.');
    const tools = [...before, ...toolsIn(result)];
    return hasMore(result) ? this.#listAll(meta, tools, result.nextCursor) : tools;
  }

  /** Lines for the agent in place of others: null for nothing, undefined for the lines themselves. */
  #toAgent(frame: Buffer): Buffer | null | undefined {
    const lines = frame.toString('utf8').split('\n');
    const sent = lines.flatMap((line): string[] => {
      const parsed = parseJson(line);
      if (!isRecord(parsed)) return [line];
      const instead = this.#instead(parsed);
      return instead === null ? [] : [instead === parsed ? line : JSON.stringify(instead)];
    });
    if (sent.length === 0) return null;
    return sent.length === lines.length && sent.every((line, index) => line === lines[index])
      ? undefined
      : Buffer.from(sent.join('\n'));
  }

  #instead(message: Message): Message | null {
    if (message.method === changedMethod) this.#surface = undefined;
    if (message.method !== undefined) return message;
    if (this.#own.answer(message)) return null;
    const meta = this.#lists.get(message.id);
    if (!meta) return message;
    this.#lists.delete(message.id);
    return isRecord(message.result) ? this.#listed(message, message.result, meta) : message;
  }

  #listed(message: Message, result: Message, meta: Message): Message | null {
    const { chosen, offer } = this.#request;
    if (chosen.kind === 'subset') {
      const tools = toolsIn(result).filter(({ name }) => chosen.tools.includes(name));
      return { ...message, result: { ...result, tools } };
    }
    const { nextCursor, ...rest } = result;
    const all = hasMore(result)
      ? this.#listAll(meta, toolsIn(result), result.nextCursor)
      : Promise.resolve(toolsIn(result));
    this.#surface = all.then(offer);
    this.#surface.then(
      (surface) => this.#answerAgent(bytesOf({ ...message, result: { ...rest, tools: surface.forModel } })),
      (error: unknown) => {
        this.#surface = undefined;
        this.#answerAgent(bytesOf(errorAnswer(message, internalError, String(error))));
      },
    );
    return null;
  }

  #refuse(request: Message, why: string): void {
    const answer = errorAnswer(request, invalidParams, why);
    this.#logRefusal(request, answer);
    this.#answerAgent(bytesOf(answer));
  }

  #logRefusal(request: Message, answer: Message): void {
    this.#request.log.message('to-server', bytesOf(request), true);
    this.#request.log.message('from-server', bytesOf(answer), true);
  }
}

/** Metadata that every request of a version without sessions has to carry; a token for progress is of one request only. */
function passedMeta({ params }: Message): Message {
  const { progressToken, ...meta } = metaOf(params);
  return isRecord(params) && isRecord(params._meta) ? { _meta: meta } : {};
}

function toolsIn({ tools }: Message): ToolDefinition[] {
  const listed: unknown[] = Array.isArray(tools) ? tools : [];
  return listed.filter((tool): tool is ToolDefinition => isRecord(tool) && typeof tool.name === 'string');
}

function hasMore(result: Message): result is Message & { readonly nextCursor: string } {
  return typeof result.nextCursor === 'string' && result.nextCursor !== '';
}

/** Older versions allow several messages in one line; each is passed on by itself. */
function messagesIn(frame: Buffer): Message[] {
  const parsed = parseJson(frame.toString('utf8'));
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord);
}

function bytesOf(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function joined(frames: readonly Buffer[]): Buffer {
  return Buffer.from(frames.map((frame) => frame.toString('utf8')).join('\n'));
}
