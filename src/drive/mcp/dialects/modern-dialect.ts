import { AssayError } from '../../../domain/errors.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { metaKeys, modernVersions } from '../protocol-versions.ts';
import type { PeerRequestOptions } from '../rpc-peer.ts';
import type { Refusal } from '../schemas/refusal.ts';
import type { McpAnswer, McpRequestOptions, ToolDefinition } from '../session.ts';
import { clientInfoOf, type Dialect, type Greeting, type GreetingOptions, type Line } from './dialect.ts';
import { discoveryFrom, headerMismatch } from './discovery.ts';
import { inputFor, mostRounds, neededInput, tooMuch } from './input-rounds.ts';
import { Subscriptions } from './subscriptions.ts';
import { ToolHeaders } from './tool-headers.ts';

type Params = Readonly<Record<string, unknown>>;

/** A result that does not say what it is. */
const withoutType: Refusal = { path: 'result.resultType', problem: 'missing, and must be a string' };

const tasksExtension = 'io.modelcontextprotocol/tasks';
const logMessages = 'notifications/message';

/** Pages that are read to find the definition of one tool. */
const mostPages = 20;

/** Result types of extensions that a client has to offer before a server may use them. */
const extensionResults: Readonly<Record<string, string>> = { task: tasksExtension };

/** Extensions that every session offers: calls that become tasks are followed. */
const extensions = { [tasksExtension]: {} };

/** Versions from 2026-07-28 on: every request stands for itself, and the server asks by its results. */
export class ModernDialect implements Dialect {
  readonly era = 'modern';
  readonly aliveMethod = 'server/discover';
  readonly #line: Line;
  readonly #subscriptions: Subscriptions;
  /** Undefined where there are no headers. */
  readonly #toolHeaders: ToolHeaders | undefined;
  #capabilities: Params = {};
  #meta: Params = {};
  #metaWithLogs: Params = {};

  constructor(line: Line) {
    this.#line = line;
    this.#toolHeaders = line.transport === 'stdio' ? undefined : new ToolHeaders(line.incoming);
    this.#subscriptions = new Subscriptions(line, (method, params, options) => this.#ask(method, params, options));
  }

  async open(options: GreetingOptions): Promise<Greeting> {
    const discovery = discoveryFrom(this.#line.label, await this.discover(options));
    if (discovery.era === 'modern') return this.begin(discovery.greeting);
    const { label } = this.#line;
    const message = `The MCP server "${label}" has no version of the protocol from ${modernVersions.at(-1)} on: it answered server/discover ${discovery.why}.`;
    throw new AssayError('MCP_FEATURE_ABSENT', message, {
      hint: 'Remove `protocol` from the server, or set it to `legacy`.',
    });
  }

  /** Asks which versions the server has, which changes nothing here. */
  discover(options: GreetingOptions, isInBackground = false): Promise<McpAnswer> {
    const { timeoutMs, signal, sinceMs } = options;
    const given = options.capabilities;
    const capabilities = {
      ...given,
      extensions: { ...(isRecord(given?.extensions) && given.extensions), ...extensions },
    };
    this.#capabilities = capabilities;
    this.#meta = {
      [metaKeys.version]: modernVersions[0],
      [metaKeys.clientInfo]: clientInfoOf(options),
      [metaKeys.clientCapabilities]: capabilities,
    };
    this.#metaWithLogs = { ...this.#meta, [metaKeys.logLevel]: 'info' };
    return this.#ask('server/discover', {}, { timeoutMs, signal, sinceMs, isInBackground });
  }

  begin(greeting: Greeting): Greeting {
    this.#line.peer.answersRequests = false;
    this.#line.useProtocolVersion(greeting.protocolVersion);
    this.#subscriptions.begin(greeting.capabilities);
    return greeting;
  }

  async request(method: string, params: Params, options: McpRequestOptions): Promise<McpAnswer> {
    const sinceMs = performance.now();
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
      return this.#subscriptions.follow(method, params, { ...options, sinceMs });
    this.#subscriptions.flush();
    if (this.#subscriptions.isOpening) await this.#subscriptions.settled(options);
    const { label, rules } = this.#line;
    const asking = { label, rules, method, capabilities: this.#capabilities };
    let input: Params | undefined;
    for (let round = 1; ; round++) {
      const answer = await this.#askWithHeaders(method, input ? { ...params, ...input } : params, {
        ...options,
        sinceMs,
      });
      const isLast = answer.kind === 'error' || this.#isComplete(method, answer.result);
      if (isLast) return round === 1 ? answer : sinceFirst(answer, sinceMs);
      if (round >= mostRounds) throw tooMuch(asking.label, method, 'input again and again', mostRounds);
      const needed = neededInput(asking, answer.result);
      input = await inputFor(needed, this.#line.incoming, asking, withTimeLeft(options, sinceMs));
    }
  }

  end(): void {
    this.#subscriptions.end();
  }

  usableTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const headers = this.#toolHeaders;
    return headers ? tools.filter((tool) => headers.isUsable(tool)) : tools;
  }

  /** A tool whose definition was not seen, or has changed, may want other headers than those that were sent. */
  async #askWithHeaders(method: string, params: Params, options: PeerRequestOptions): Promise<McpAnswer> {
    const toolHeaders = this.#toolHeaders;
    if (!toolHeaders) return this.#ask(method, params, options);
    if (method !== 'tools/call') {
      const answer = await this.#ask(method, params, options);
      if (method === 'tools/list' && answer.kind === 'result') toolHeaders.learn(answer.result.tools);
      return answer;
    }
    const headers = toolHeaders.of(params);
    const answer = await this.#ask(method, params, { ...options, headers });
    if (answer.kind !== 'error' || answer.code !== headerMismatch) return answer;
    await this.#learnTools(options);
    const others = toolHeaders.of(params);
    if (canonicalJson(others) === canonicalJson(headers)) return answer;
    return this.#ask(method, params, { ...options, headers: others });
  }

  async #learnTools(options: PeerRequestOptions): Promise<void> {
    let cursor: unknown;
    for (let page = 0; page < mostPages; page++) {
      const answer = await this.#ask('tools/list', cursor === undefined ? {} : { cursor }, options);
      if (answer.kind === 'error') return;
      this.#toolHeaders?.learn(answer.result.tools);
      cursor = answer.result.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return;
    }
  }

  #ask(method: string, params: Params, options: PeerRequestOptions): Promise<McpAnswer> {
    const meta = this.#metaNow();
    const _meta = isRecord(params._meta) ? { ...meta, ...params._meta } : meta;
    const refusalIn = (result: Params): Refusal | undefined => this.#refusalIn(method, result);
    return this.#line.peer.request(method, { ...params, _meta }, { ...options, refusalIn });
  }

  /** A result that does not say that it is complete has another reader. */
  #refusalIn(method: string, result: Params): Refusal | undefined {
    // The answer to the first question decides which era is spoken.
    if (method === 'server/discover' && this.#line.peer.answersRequests) return undefined;
    if (result.resultType === undefined) return withoutType;
    return result.resultType === 'complete' ? this.#line.rules.result('modern', method, result) : undefined;
  }

  /** A server sends log messages only for requests that say from which level on. */
  #metaNow(): Params {
    return this.#line.incoming.isListenedTo(logMessages) ? this.#metaWithLogs : this.#meta;
  }

  #isComplete(method: string, { resultType }: Params): boolean {
    if (resultType === 'complete') return true;
    if (resultType === 'input_required') return false;
    // Only a caller that takes refused answers gets this far.
    if (resultType === undefined) return true;
    const extension = typeof resultType === 'string' ? extensionResults[resultType] : undefined;
    const { extensions } = this.#capabilities;
    if (extension !== undefined && isRecord(extensions) && extension in extensions) return true;
    const { label } = this.#line;
    const type = printable(JSON.stringify(resultType)).slice(0, 100);
    const message = `The MCP server "${label}" answered ${method} with the result type ${type}, which the protocol does not have.`;
    throw new AssayError('MCP_PROTOCOL_VIOLATED', message);
  }
}

/** The time from the first message to the last, whatever the number of rounds. */
function sinceFirst(answer: McpAnswer, sinceMs: number): McpAnswer {
  return { ...answer, latencyMs: performance.now() - sinceMs };
}

function withTimeLeft(options: McpRequestOptions, sinceMs: number): McpRequestOptions {
  return { ...options, timeoutMs: Math.max(1, Math.round(sinceMs + options.timeoutMs - performance.now())) };
}
