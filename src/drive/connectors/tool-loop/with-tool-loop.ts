import { AssayError } from '../../../domain/errors.ts';
import type { Message, MessageToolCall } from '../../../domain/message.ts';
import { toolErrorText } from '../../../domain/tool-error.ts';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { sumOfUsage } from '../../../domain/usage.ts';
import { jsonOrText } from '../../../shared/json.ts';
import { answerEvents, present } from '../answer-events.ts';
import type { Connector, ConnectorRequest, ConnectorResponse } from '../connector.ts';
import { callIdsIn, distinctCalls } from '../wire/distinct-calls.ts';
import { AnsweredFailure } from '../wire/endpoint-errors.ts';
import { asText } from '../wire/messages.ts';
import type { ConversationTools, Toolbox, ToolRun } from './toolbox.ts';

/** Runs the tools that a bare model calls and prompts it again with their results, until it answers. */
export function withToolLoop(inner: Connector, toolbox: Toolbox, maxRounds: number): Connector {
  const begun = new Map<string, ConversationTools>();
  return {
    ...inner,
    async invoke(request) {
      const { conversationId, signal, emit, standIn } = request;
      const tools = begun.get(conversationId) ?? (await toolbox.begin(signal, 'agent', emit, standIn));
      begun.set(conversationId, tools);
      const turn = new ToolTurn(inner, tools, request);
      for (let round = 1; round <= maxRounds; round++) {
        const calls = await turn.prompt();
        if (calls.length === 0) {
          await tools.assertUnchanged(signal);
          return turn.response();
        }
        if (round < maxRounds) await turn.run(calls);
      }
      throw noAnswer(maxRounds);
    },
    endConversation(conversationId) {
      begun.delete(conversationId);
      inner.endConversation?.(conversationId);
    },
    async [Symbol.asyncDispose]() {
      await inner[Symbol.asyncDispose]();
      await toolbox[Symbol.asyncDispose]();
    },
  };
}

function noAnswer(maxRounds: number): AssayError {
  const times = maxRounds === 1 ? 'once' : `${maxRounds} times`;
  return new AssayError('TARGET_CRASHED', `The model was prompted ${times} in this turn and still called tools.`, {
    hint: 'Read the calls in the trace to see why the model does not answer, or raise `toolLoop.maxRounds`.',
    cause: new AnsweredFailure(),
  });
}

/** One turn: everything that happens between the words of the user and the answer to them. */
class ToolTurn {
  readonly #inner: Connector;
  readonly #tools: ConversationTools;
  readonly #request: ConnectorRequest;
  readonly #added: Message[] = [];
  readonly #responses: ConnectorResponse[] = [];
  /** Messages that the model has received or written. */
  #seenCount: number;
  #elapsedMs = 0;
  #timeToFirstTokenMs: number | undefined;

  constructor(inner: Connector, tools: ConversationTools, request: ConnectorRequest) {
    this.#inner = inner;
    this.#tools = tools;
    this.#request = request;
    this.#seenCount = request.seenCount;
  }

  /** Prompts the model; gives the calls that it left to be run. */
  async prompt(): Promise<readonly MessageToolCall[]> {
    const request = this.#request;
    const { tools } = this.#tools;
    const messages = [...request.messages, ...this.#added];
    const given = await this.#inner.invoke({ ...request, messages, seenCount: this.#seenCount, tools });
    const { gaps, ...distinct } = distinctCalls(given.messages, { taken: callIdsIn(messages) });
    const response = { ...given, ...distinct, gaps: [...(given.gaps ?? []), ...gaps] };
    if (given.timeToFirstTokenMs !== undefined) this.#timeToFirstTokenMs ??= this.#elapsedMs + given.timeToFirstTokenMs;
    this.#elapsedMs += given.latencyMs;
    this.#responses.push(response);
    this.#added.push(...response.messages);
    this.#seenCount = request.messages.length + this.#added.length;
    const answered = new Set(response.messages.map(({ tool_call_id: id }) => id));
    const left = response.messages.flatMap(({ tool_calls = [] }) => tool_calls).filter(({ id }) => !answered.has(id));
    this.#trace(response, new Set(left.map(({ id }) => id)));
    return left;
  }

  /** One after the other, in the order of the calls: repeats of a trial do the same. */
  async run(calls: readonly MessageToolCall[]): Promise<void> {
    const { emit, signal } = this.#request;
    for (const {
      id,
      function: { name, arguments: input },
    } of calls) {
      const run = await this.#tools.run(name, jsonOrText(input === '' ? '{}' : input), signal);
      const { durationMs, answeredBy } = run;
      emit?.({
        type: 'tool-result',
        seenBy: 'engine',
        callId: id,
        durationMs,
        ...('error' in run ? { error: run.error } : { result: run.result }),
        ...present({ answeredBy }),
      });
      this.#elapsedMs += durationMs;
      this.#added.push({ role: 'tool', tool_call_id: id, name, content: contentFor(run) });
    }
  }

  /** Tokens and cost are unknown as soon as those of one request are. */
  response(): ConnectorResponse {
    const last = this.#responses.at(-1);
    const usages = this.#responses.map(({ usage }) => usage);
    const costs = this.#responses.map(({ costUsd }) => costUsd);
    const usage = usages.every((each) => each !== undefined) ? sumOfUsage(usages) : undefined;
    const costUsd = costs.every((cost) => cost !== undefined) ? costs.reduce((sum, cost) => sum + cost, 0) : undefined;
    return {
      messages: this.#added,
      latencyMs: this.#elapsedMs,
      timeToFirstTokenMs: this.#timeToFirstTokenMs,
      usage,
      costUsd,
      model: last?.model,
      threadId: last?.threadId,
      isTraced: true,
    };
  }

  /** At once: a trial that ends in the middle keeps what was done and spent. */
  #trace(response: ConnectorResponse, left: ReadonlySet<string>): void {
    for (const event of answerEvents(response)) this.#request.emit?.(this.#withFacts(event, left));
  }

  /** Adds the facts of the tool. A tool that is not offered cannot be called, unless the agent has it itself. */
  #withFacts(event: UnstampedEvent, left: ReadonlySet<string>): UnstampedEvent {
    if (event.type !== 'tool-call') return event;
    const tool = this.#tools.find(event.tool);
    if (!tool) return left.has(event.callId) ? { ...event, isRefused: true } : event;
    const { kind, server, serverTitle } = tool;
    return { ...event, kind, ...present({ server, serverTitle }) };
  }
}

function contentFor(run: ToolRun): string {
  return 'error' in run ? `Error: ${toolErrorText(run.error)}` : asText(run.result);
}
