import { randomUUID } from 'node:crypto';
import { AssayError } from '../../../domain/errors.ts';
import type { Loss } from '../../../domain/loss.ts';
import { messageText } from '../../../domain/message.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { systemClock } from '../../pacing/clock.ts';
import type { TargetContext } from '../../targets/target.ts';
import { reportedUsage } from '../../wire/reported-usage.ts';
import { errorTextIn } from '../../wire/values.ts';
import type { Connector, ConnectorRequest, ConnectorResponse, ConnectorSettings } from '../connector.ts';
import { documentOf, type EndpointAnswer, readSafely } from '../wire/answer.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { Endpoint } from '../wire/endpoint.ts';
import { endpointUrl, mergedHeaders, requireHttpUrl } from '../wire/url-and-headers.ts';
import type { A2aConfig } from './a2a-connector.ts';
import { type A2aInterface, interfaceIn } from './agent-card.ts';
import { TaskReader } from './task-reader.ts';

const urlHint = 'Set `baseUrl` of the connector to the http or https URL of the agent.';

/** Where a conversation stands at the agent. */
interface Thread {
  readonly contextId: string | undefined;
  /** A task that waits for words of the user. */
  readonly taskId: string | undefined;
}

/** Reads the card of an agent and talks to it through the interface that the card names. */
export async function openA2a(
  config: A2aConfig,
  { baseUrl, headers }: ConnectorSettings,
  context: Pick<TargetContext, 'env' | 'paces' | 'signal'>,
): Promise<Connector> {
  const base = requireHttpUrl('a2a', baseUrl, urlHint);
  const endpoint = new Endpoint(context, mergedHeaders({ accept: 'application/json, text/event-stream' }, headers));
  try {
    const agent = await readCard(endpoint, base, config, context.signal);
    const threads = new ConversationMemory<Thread>();
    return {
      async invoke(request) {
        const turn = new A2aTurn(endpoint, agent, config, request);
        const response = await turn.hold(threads.get(request.conversationId));
        threads.set(request.conversationId, turn.thread);
        return response;
      },
      [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
    };
  } catch (error) {
    await endpoint[Symbol.asyncDispose]();
    throw error;
  }
}

async function readCard(
  endpoint: Endpoint,
  base: string,
  config: A2aConfig,
  signal: AbortSignal,
): Promise<A2aInterface> {
  const url = endpointUrl(base, config.card);
  const answer = await endpoint.send({ url, method: 'GET', body: undefined, headers: {}, signal });
  const agent = interfaceIn(documentOf(answer));
  if (typeof agent === 'string') {
    const hint = 'Check the base URL and `card` of the connector; the protocol is spoken in its versions 1.0 and 0.3.';
    return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with an agent card that ${agent}.`, hint);
  }
  if (config.url !== undefined) return { ...agent, url: config.url };
  // The headers of the connector may hold keys, which are for the agent at the base URL only.
  if (new URL(agent.url).origin !== url.origin) {
    const hint = 'Set `url` in the config of the connector to the address of the JSON-RPC interface.';
    return answer.fail('TARGET_NOT_LOADED', `names an interface at another origin: ${agent.url}.`, hint);
  }
  return agent;
}

/** One turn: a message is sent, and the task that comes of it is followed until the agent has answered. */
class A2aTurn {
  readonly #endpoint: Endpoint;
  readonly #agent: A2aInterface;
  readonly #config: A2aConfig;
  readonly #request: ConnectorRequest;
  readonly #task = new TaskReader();
  #firstTextAtMs: number | undefined;
  #waitedMs = 0;

  constructor(endpoint: Endpoint, agent: A2aInterface, config: A2aConfig, request: ConnectorRequest) {
    this.#endpoint = endpoint;
    this.#agent = agent;
    this.#config = config;
    this.#request = request;
  }

  get thread(): Thread {
    const { contextId, taskId, state } = this.#task;
    return { contextId, taskId: state === 'input-required' ? taskId : undefined };
  }

  async hold(thread: Thread | undefined): Promise<ConnectorResponse> {
    const { dialect, canStream } = this.#agent;
    const isStreamed = this.#config.stream && canStream;
    const sentAtMs = performance.now();
    const { contextId, taskId } = thread ?? {};
    const outgoing = { messageId: randomUUID(), text: unseenText(this.#request), contextId, taskId };
    const params = dialect.paramsOf({ ...outgoing });
    let answer = await this.#call(isStreamed ? dialect.stream : dialect.send, params, isStreamed);
    const { request } = answer.raw;
    while (this.#task.state === 'running') {
      if (this.#task.taskId === undefined) return noAnswer(answer);
      await systemClock.wait(this.#config.pollSecs * 1_000, this.#request.signal);
      answer = await this.#call(dialect.get, { id: this.#task.taskId }, false).catch(notRepeated);
    }
    const latencyMs = performance.now() - sentAtMs - this.#waitedMs;
    const firstAtMs = this.#firstTextAtMs;
    const figures = reportedUsage(this.#task.metadata);
    return {
      messages: [{ role: 'assistant', content: this.#answerText(answer) }],
      latencyMs,
      timeToFirstTokenMs: isStreamed && firstAtMs !== undefined ? firstAtMs - sentAtMs : undefined,
      usage: figures.usage,
      gaps: [...this.#task.gaps, ...(figures.gaps ?? []), ...this.#silence()],
      threadId: this.#task.contextId,
      raw: { request, response: answer.raw.response },
    };
  }

  /** A task that ends without any words may have had some. */
  #silence(): Loss[] {
    if (this.#task.text !== '') return [];
    return [{ channels: ['answers'], reason: 'the agent ended its task without words', place: 'task' }];
  }

  /** The agent is not at fault for the time until a request may be sent. */
  #holdClock(): () => void {
    const began = performance.now();
    const release = this.#request.clock?.hold();
    return () => {
      this.#waitedMs += performance.now() - began;
      release?.();
    };
  }

  async #call(method: string, params: unknown, isStreamed: boolean): Promise<EndpointAnswer> {
    const { url, dialect } = this.#agent;
    const { headers, signal } = this.#request;
    let problem: string | undefined;
    const take = (response: unknown): boolean => {
      problem ??= problemIn(response);
      const hasText = isRecord(response) && this.#task.add(response.result);
      if (hasText) this.#firstTextAtMs ??= performance.now() - this.#waitedMs;
      return hasText;
    };
    const reader = { add: (piece: string) => take(parseJson(piece)) };
    const answer = await this.#endpoint.send({
      url: new URL(url),
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
      headers: { 'content-type': 'application/json', ...dialect.headers, ...headers },
      signal,
      clock: { hold: () => this.#holdClock() },
      ...(isStreamed && {
        readerFor: (type: string) =>
          /^text\/event-stream\b/i.test(type) ? { form: 'sse' as const, reader } : undefined,
      }),
    });
    if (!answer.isStreamed) readSafely(answer, () => take(documentOf(answer)));
    if (problem !== undefined) {
      return answer.fail('TARGET_CRASHED', `answered with ${problem}`, 'Fix the problem that the agent reports.');
    }
    return this.#task.isEmpty ? noAnswer(answer) : answer;
  }

  #answerText(answer: EndpointAnswer): string {
    const { state, stateName, text } = this.#task;
    if (state === 'failed' || (state === 'rejected' && text === '')) {
      const why = text === '' ? '.' : `: ${text}`;
      const hint = "Look into the agent's log to see why its task did not end well.";
      return answer.fail('TARGET_CRASHED', `ended its task as ${stateName}${why}`, hint);
    }
    return text;
  }
}

/** The agent keeps the conversation, so it gets only the words that it has not received. */
function unseenText({ messages, seenCount }: ConnectorRequest): string {
  return messages
    .slice(seenCount)
    .filter(({ role }) => role === 'user')
    .map(messageText)
    .join('\n\n');
}

function problemIn(response: unknown): string | undefined {
  if (!isRecord(response)) return 'an event that is not JSON.';
  if (!isRecord(response.error)) return undefined;
  return `error ${String(response.error.code)}: ${errorTextIn(response) ?? 'without a message'}`;
}

function noAnswer(answer: EndpointAnswer): never {
  const hint = 'Check that the endpoint speaks the version of A2A that its card names.';
  return answer.fail('TARGET_NO_MESSAGE', `answered with neither a message nor a task: ${answer.excerpt()}`, hint);
}

/** The agent works on the message already: a refused question about its task must not make it get the message again. */
function notRepeated(error: unknown): never {
  if (!(error instanceof AssayError)) throw error;
  throw new AssayError(error.code, error.message, { hint: error.hint });
}
