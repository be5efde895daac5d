import { AssayError } from '../../../domain/errors.ts';
import { parseJson } from '../../../shared/json.ts';
import { compileJsonPath, type JsonPath } from '../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../shared/json-path/json-path-walk.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import type { Connector, ConnectorRequest, ConnectorResponse, ConnectorSettings } from '../connector.ts';
import { AnswerReader } from '../http/answer-reader.ts';
import { compileMapping, type ResponseMapping } from '../http/response-mapping.ts';
import { type EndpointAnswer, excerptOf, traceText } from '../wire/answer.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { type EndpointErrors, endpointErrors } from '../wire/endpoint-errors.ts';
import { fillPlaceholders, placeholderValues } from '../wire/placeholders.ts';
import { endpointUrl, RequestHeaders } from '../wire/url-and-headers.ts';
import { AgentSocket } from './agent-socket.ts';
import type { WebsocketConfig } from './websocket-connector.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens connections to an agent behind a WebSocket when they are needed; each belongs to one conversation. */
export async function openWebsocket(
  config: WebsocketConfig,
  settings: ConnectorSettings,
  env: Environment,
): Promise<Connector> {
  const url = socketUrl(config, settings, env);
  const layers = new RequestHeaders(settings.headers, [url.password, ...url.searchParams.values()]);
  const message = config.message === undefined ? { messages: '{{messages}}' } : config.message;
  const mapping = await compileMapping(config.response);
  const rules = { until: await compiled('until', config.until), ignore: await compiled('ignore', config.ignore) };
  const threads = new ConversationMemory<string>();
  const sockets = new Map<string, AgentSocket>();
  const close = (conversationId: string): void => {
    sockets.get(conversationId)?.close();
    sockets.delete(conversationId);
  };
  return {
    async invoke(request) {
      const { conversationId, signal } = request;
      const { headers, redact } = layers.forPersona(request.headers);
      const errors = endpointErrors('WebSocket', url, redact);
      const turn = new FrameTurn(config, rules, mapping, request, redact);
      let socket = sockets.get(conversationId);
      try {
        if (!socket) {
          socket = await AgentSocket.open(url, headers, { signal, errors, hasGreeting: config.greeting });
          sockets.set(conversationId, socket);
        }
        const frame = fillPlaceholders(message, placeholderValues(request, threads.get(conversationId)));
        const response = await turn.hold(socket, typeof frame === 'string' ? frame : JSON.stringify(frame), errors);
        if (response.threadId !== undefined) threads.set(conversationId, response.threadId);
        if (config.keep === 'turn' || socket.isClosed) close(conversationId);
        return response;
      } catch (error) {
        // A late frame would pass for the answer to another turn.
        close(conversationId);
        throw error;
      }
    },
    endConversation: close,
    async [Symbol.asyncDispose]() {
      for (const conversationId of [...sockets.keys()]) close(conversationId);
    },
  };
}

function socketUrl({ path }: WebsocketConfig, { baseUrl }: ConnectorSettings, env: Environment): URL {
  const text = (baseUrl ?? '').replace(/^http(s?):/, 'ws$1:');
  if (/^wss?:\/\//.test(text) && URL.canParse(text)) return endpointUrl(text, expandSetting('path', path, env));
  const problem = text === '' ? 'has no base URL' : 'has a base URL that is not ws or wss';
  throw new AssayError('TARGET_NOT_LOADED', `The websocket connector ${problem}.`, {
    hint: 'Set `baseUrl` of the connector to a ws or wss URL.',
  });
}

async function compiled(key: string, path: string | undefined): Promise<JsonPath | undefined> {
  if (path === undefined) return undefined;
  try {
    return await compileJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    const message = `The JSONPath \`${path}\` for \`${key}\` is invalid: ${error.message}.`;
    throw new AssayError('TARGET_NOT_LOADED', message, { hint: 'Correct it in the config of the connector.' });
  }
}

interface FrameRules {
  readonly until: JsonPath | undefined;
  readonly ignore: JsonPath | undefined;
}

/** One turn: a frame is sent, and frames are read until the answer is complete. */
class FrameTurn {
  readonly #config: WebsocketConfig;
  readonly #rules: FrameRules;
  readonly #answers: AnswerReader;
  readonly #redact: Redact;
  readonly #signal: AbortSignal;
  readonly #frames: string[] = [];
  #firstTextAtMs: number | undefined;

  constructor(
    config: WebsocketConfig,
    rules: FrameRules,
    mapping: ResponseMapping,
    { messages, signal }: ConnectorRequest,
    redact: Redact,
  ) {
    this.#config = config;
    this.#rules = rules;
    this.#answers = new AnswerReader(mapping, config.stream ? 'sse' : 'none', messages);
    this.#redact = redact;
    this.#signal = signal;
  }

  async hold(socket: AgentSocket, frame: string, errors: EndpointErrors): Promise<ConnectorResponse> {
    const pieces = this.#config.stream ? this.#answers.streamFor('')?.reader : undefined;
    const isLast = (text: string): boolean => {
      const value = parseJson(text);
      if (found(this.#rules.ignore, value)) return false;
      this.#frames.push(text);
      if (!pieces) return true;
      if (pieces.add(text, 'message')) this.#firstTextAtMs ??= performance.now();
      return text.trim() === '[DONE]' || found(this.#rules.until, value);
    };
    // Without a mark of the end, closing the connection is what ends a stream.
    const endsWithClose = pieces !== undefined && this.#rules.until === undefined;
    const sentAtMs = performance.now();
    await socket.exchange(frame, isLast, { signal: this.#signal, errors, endsWithClose });
    const latencyMs = performance.now() - sentAtMs;
    const answer = this.#answer(frame, latencyMs, errors);
    const { raw } = answer;
    const firstAtMs = this.#firstTextAtMs;
    const timeToFirstTokenMs = firstAtMs === undefined ? undefined : firstAtMs - sentAtMs;
    return { ...this.#answers.read(answer), latencyMs, timeToFirstTokenMs, raw };
  }

  #answer(frame: string, latencyMs: number, errors: EndpointErrors): EndpointAnswer {
    const redact = this.#redact;
    const body = this.#frames.join('\n');
    return {
      ...{ body, latencyMs, contentType: '', timeToFirstTokenMs: undefined, isStreamed: this.#config.stream },
      raw: {
        request: { method: errors.method, url: errors.url, body: traceText(frame, redact) },
        response: { frames: this.#frames.length, body: traceText(body, redact) },
      },
      excerpt: () => excerptOf(body, redact),
      fail(code, problem, hint) {
        throw errors.create(code, problem, hint);
      },
    };
  }
}

function found(path: JsonPath | undefined, value: unknown): boolean {
  if (!path || value === undefined) return false;
  return path.select(value).some((each) => each !== false && each !== null);
}
