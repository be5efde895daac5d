import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { listedMocks, type PlacedMock } from '../../../domain/tool-control/mocks.ts';
import { isRecord } from '../../../shared/json.ts';
import { invalidParams, methodNotFound } from '../../../shared/json-rpc.ts';
import { compileJsonSchema, type JsonSchema } from '../../../shared/json-schema/json-schema.ts';
import { fillTemplates } from '../../../shared/templates.ts';
import { Control } from '../../tool-control/control.ts';
import { MockRule } from '../../tool-control/mock-rule.ts';
import type { MockedPrompt, MockedTool } from '../../tool-control/mocked-server-keys.ts';
import { isModernRequest, legacyVersions, metaKeys, modernVersions } from '../protocol-versions.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { RequestId, Wire, WireListener } from '../wire/wire.ts';
import type { McpControl } from './mcp-control.ts';
import { failedResult, type McpReply, messageOf, replyOfMock, requestIdOf } from './mcp-reply.ts';
import { WaitingReplies } from './waiting-replies.ts';

type MockedServerDefinition = Extract<ServerDefinition, { transport: 'mock' }>;

type Data = Readonly<Record<string, unknown>>;

/** How a mocked server answers a request. */
interface MockedAnswer {
  readonly reply: McpReply;
  readonly delayMs: number;
  readonly answeredBy?: ControlKind | undefined;
}

const resourceNotFound = -32_002;

/** A server that exists only as data: it answers each request in both eras of the protocol. */
class MockedServer {
  readonly #definition: MockedServerDefinition;
  readonly #control: Control<McpReply>;
  readonly #inputs = new Map<string, JsonSchema>();

  constructor(definition: MockedServerDefinition, control: McpControl | undefined) {
    this.#definition = definition;
    const mocks = mocksOfServer(definition);
    const rule = new MockRule(mocks, replyOfMock, control?.simulate?.(mocks));
    this.#control = new Control('mcp', [rule], control?.onAction ?? (() => undefined));
  }

  /** A promise where a model plays the tool; the signal ends it. */
  answer(method: string, params: unknown, signal: () => AbortSignal): MockedAnswer | Promise<MockedAnswer> {
    if (method === 'tools/call') return this.#call(isRecord(params) ? params : {}, signal);
    const isModern = isModernRequest(params);
    const reply = this.#answerAtOnce(method, isRecord(params) ? params : {}, isModern);
    return { delayMs: 0, reply: isModern && reply.kind === 'result' ? this.#signed(reply.result) : reply };
  }

  #answerAtOnce(method: string, params: Data, isModern: boolean): McpReply {
    const { protocol = 'auto', tools, resources, prompts } = this.#definition;
    const cached = isModern ? { ttlMs: 0, cacheScope: 'private' } : {};
    switch (method) {
      case 'initialize':
        return protocol === 'auto' || protocol === 'legacy' ? result(this.#greeting(params)) : this.#onlyModern(params);
      case 'server/discover':
        return protocol === 'legacy' ? unknownMethod(method) : result(this.#discovery());
      case 'ping':
        return isModern ? unknownMethod(method) : result({});
      case 'tools/list':
        return result({ tools: Object.entries(tools).map(([name, tool]) => listedTool(name, tool)), ...cached });
      case 'resources/list':
        return result({
          resources: Object.entries(resources).map(([uri, { text: _text, name = uri, ...rest }]) => ({
            uri,
            name,
            ...rest,
          })),
          ...cached,
        });
      case 'resources/templates/list':
        return result({ resourceTemplates: [], ...cached });
      case 'resources/read':
        return this.#resource(params.uri, isModern, cached);
      case 'prompts/list':
        return result({
          prompts: Object.entries(prompts).map(([name, { messages: _messages, ...prompt }]) => ({ name, ...prompt })),
          ...cached,
        });
      case 'prompts/get':
        return this.#prompt(params);
      default:
        return unknownMethod(method);
    }
  }

  #greeting({ protocolVersion }: Data): Data {
    const spoken = legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0];
    const { instructions } = this.#definition;
    return {
      protocolVersion: spoken,
      capabilities: this.#capabilities(),
      serverInfo: this.#info(),
      ...(instructions !== undefined && { instructions }),
    };
  }

  #discovery(): Data {
    const { instructions } = this.#definition;
    return {
      supportedVersions: [...modernVersions],
      capabilities: this.#capabilities(),
      ...(instructions !== undefined && { instructions }),
      ttlMs: 0,
      cacheScope: 'private',
    };
  }

  #onlyModern({ protocolVersion }: Data): McpReply {
    const data = { supported: [...modernVersions], requested: protocolVersion };
    return failed(-32_022, 'Unsupported protocol version', data);
  }

  #capabilities(): Data {
    const { tools, resources, prompts } = this.#definition;
    const offered = Object.entries({ tools, resources, prompts }).filter(([, parts]) => Object.keys(parts).length > 0);
    return Object.fromEntries(offered.map(([name]) => [name, {}]));
  }

  #info(): Data {
    const { name, version } = this.#definition;
    return { name, version };
  }

  /** Results of the modern era name the server. */
  #signed(given: Data): McpReply {
    const meta = isRecord(given._meta) ? given._meta : {};
    return result({ ...given, _meta: { [metaKeys.serverInfo]: this.#info(), ...meta } });
  }

  #call(params: Data, signal: () => AbortSignal): MockedAnswer | Promise<MockedAnswer> {
    const { name } = params;
    const tool = typeof name === 'string' ? this.#definition.tools[name] : undefined;
    if (typeof name !== 'string' || !tool || !Object.hasOwn(this.#definition.tools, name))
      return { delayMs: 0, reply: failed(invalidParams, `Unknown tool: ${String(name)}`) };
    const args = isRecord(params.arguments) ? params.arguments : {};
    const [problem] = this.#inputOf(name, tool).problemsIn(args);
    if (problem !== undefined)
      return { delayMs: 0, answeredBy: 'mock', reply: result(failedResult(`Invalid arguments: ${problem}`)) };
    const { reply, play, delayMs, answeredBy } = this.#control.decide({ tool: name, args });
    const answered = (given: McpReply): MockedAnswer => ({
      delayMs,
      answeredBy,
      reply: isModernRequest(params) && given.kind === 'result' ? this.#signed(given.result) : given,
    });
    if (play) return play(listedTool(name, tool), signal()).then(answered);
    return answered(reply ?? result(failedResult(`The tool "${name}" has no answer.`)));
  }

  #inputOf(name: string, { inputSchema }: MockedTool): JsonSchema {
    const compiled = this.#inputs.get(name) ?? compileJsonSchema(inputSchema);
    this.#inputs.set(name, compiled);
    return compiled;
  }

  #resource(uri: unknown, isModern: boolean, cached: Data): McpReply {
    const { resources } = this.#definition;
    const resource = typeof uri === 'string' && Object.hasOwn(resources, uri) ? resources[uri] : undefined;
    if (!resource) return failed(isModern ? invalidParams : resourceNotFound, 'Resource not found', { uri });
    const { mimeType = 'text/plain', text } = resource;
    return result({ contents: [{ uri, mimeType, text }], ...cached });
  }

  #prompt({ name, arguments: given }: Data): McpReply {
    const { prompts } = this.#definition;
    const prompt = typeof name === 'string' && Object.hasOwn(prompts, name) ? prompts[name] : undefined;
    if (!prompt) return failed(invalidParams, `Unknown prompt: ${String(name)}`);
    const args = isRecord(given) ? given : {};
    const missing = prompt.arguments.find(({ name, required }) => required === true && args[name] === undefined);
    if (missing) return failed(invalidParams, `Missing argument: ${missing.name}`);
    return result(filledPrompt(prompt, args));
  }
}

/** The mocks of a mocked server, with their places in its data. */
export function mocksOfServer({ tools }: Pick<MockedServerDefinition, 'tools'>): PlacedMock[] {
  return Object.entries(tools).flatMap(([name, tool]) => mocksOf(name, tool));
}

function mocksOf(tool: string, { answers }: MockedTool): PlacedMock[] {
  return listedMocks(answers).map(({ mock, path }) => {
    const place = `tools.${tool}.answers${path.map((index) => `[${index}]`).join('')}`;
    return { tool, mock, places: { mock: place, answer: place, args: place } };
  });
}

function filledPrompt({ description, messages, arguments: declared }: MockedPrompt, args: Data): Data {
  const values = Object.fromEntries(declared.map(({ name }) => [`args.${name}`, args[name] ?? '']));
  const filled = messages.map(({ role, text }) => ({
    role,
    content: { type: 'text', text: String(fillTemplates(text, values)) },
  }));
  return { ...(description !== undefined && { description }), messages: filled };
}

function listedTool(name: string, { answers: _answers, ...tool }: MockedTool): Data {
  return { name, ...tool };
}

function result(data: Data): McpReply {
  return { kind: 'result', result: data };
}

function failed(code: number, message: string, data?: Data): McpReply {
  return { kind: 'error', error: { code, message, ...(data && { data }) } };
}

function unknownMethod(method: string): McpReply {
  return failed(methodNotFound, `Method not found: ${method}`);
}

/** A server that exists only as data, in this process. */
export class MockWire implements Wire {
  readonly #server: MockedServer;
  readonly #listener: WireListener;
  readonly #waiting = new WaitingReplies();
  readonly processTag = undefined;

  constructor(definition: MockedServerDefinition, control: McpControl | undefined, listener: WireListener) {
    this.#server = new MockedServer(definition, control);
    this.#listener = listener;
  }

  send(message: Readonly<Record<string, unknown>>): undefined {
    const { method, params } = message;
    const id = requestIdOf(message);
    // Notifications need no answer, and a server that never asks gets none.
    if (id === undefined || typeof method !== 'string') return undefined;
    const simulating = new AbortController();
    const answer = this.#server.answer(method, params, () => simulating.signal);
    if (!(answer instanceof Promise)) this.#give(id, params, answer);
    else {
      this.#listener.onDelayed?.(id, 'simulate');
      this.#waiting.hold(id, simulating, answer, (given) => this.#give(id, params, given));
    }
    return undefined;
  }

  #give(id: RequestId, params: unknown, { reply, delayMs, answeredBy }: MockedAnswer): void {
    if (delayMs > 0) this.#listener.onDelayed?.(id, 'mock');
    this.#waiting.add(id, delayMs, () => {
      if (reply.kind === 'silent') this.#listener.onSilenced?.(id);
      else if (reply.kind === 'unanswered') this.#listener.onUnanswered(id, reply.end);
      else if (reply.kind !== 'restart')
        this.#listener.onMessage(messageOf(id, reply, isModernRequest(params), answeredBy));
    });
  }

  /** Resolves when every request has its answer. */
  settled(): Promise<void> {
    return this.#waiting.settled();
  }

  cancel(requestId: string | number): boolean {
    this.#waiting.cancel(requestId);
    return true;
  }

  useProtocolVersion(): void {
    // It speaks every version.
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting.clear();
  }
}
