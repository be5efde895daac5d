import type { ErrorCode } from '../../../domain/errors.ts';
import type { Placed, TapeLine } from '../../../domain/tape.ts';
import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { ReplayRules } from '../../../domain/tool-control/replay.ts';
import { isRecord } from '../../../shared/json.ts';
import { methodNotFound } from '../../../shared/json-rpc.ts';
import {
  answeredText,
  argumentsText,
  comparedCall,
  missedText,
  missText,
  notRecorded,
} from '../../tape/missed-call.ts';
import { type ComparedCall, type FoundCall, type MissedCall, Player, type TapedCall } from '../../tape/player.ts';
import type { TapeWords } from '../../tape/tape-words.ts';
import type { WireEnd } from '../wire/wire.ts';
import type { Message } from './mcp-reply.ts';
import { failedResult, type McpReply } from './mcp-reply.ts';

type McpLine = Extract<Placed<TapeLine>, { kind: 'call' | 'request' }>;

/** How a recording answers a request. */
export interface ReplayedAnswer {
  readonly reply: McpReply;
  /** Sent before the answer. */
  readonly notifications: readonly Message[];
  /** Whether it is the answer to a call of a tool. */
  readonly isCall: boolean;
}

export interface McpReplayOptions {
  /** Of the whole trial. */
  readonly lines: readonly Placed<TapeLine>[];
  readonly server: string;
  readonly rules: ReplayRules;
  readonly words: TapeWords;
  readonly onAction: (action: ControlAction) => void;
}

/** Requests by which clients find out which era a server is of. */
const beginnings: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Answers the requests of a trial to one MCP server from a recording. */
export class McpReplay {
  readonly #options: McpReplayOptions;
  readonly #lines: readonly McpLine[];
  readonly #definitions: ReadonlyMap<unknown, unknown>;
  /** All requests, by which the state of the server is known. */
  readonly #requests: Player<McpLine>;
  /** Calls of tools, where they are found in another way. */
  readonly #calls: Player<McpLine> | undefined;
  readonly #counts = new Map<string, number>();

  constructor(options: McpReplayOptions) {
    const { lines, server, rules } = options;
    this.#options = options;
    const own = lines.filter((line) => 'server' in line && line.server === server);
    const tools = own.flatMap((line) => (line.kind === 'tool' ? [line.definition] : []));
    this.#definitions = new Map(tools.map((definition) => [definition.name, definition]));
    const reading = new Set(tools.filter(isReading).map(({ name }) => name));
    this.#lines = own.filter((line) => line.kind === 'call' || line.kind === 'request');
    const taped = this.#lines.map(
      (line): TapedCall<McpLine> => ({
        ...comparedLine(line),
        entry: line,
        isReading: line.kind === 'request' || reading.has(line.tool),
        isDescription: line.kind === 'request' && describesServer(line.method),
        span: line.span,
      }),
    );
    const isByState = rules.match === 'state' || rules.match === 'loose';
    this.#requests = new Player(taped, isByState ? rules.match : 'loose', rules.miss);
    const ofTools = taped.filter(({ entry }) => entry.kind === 'call');
    this.#calls = isByState ? undefined : new Player(ofTools, rules.match, rules.miss);
  }

  /** Undefined where the real server is to answer. */
  answer(method: string, params: unknown): ReplayedAnswer | undefined {
    if (method === 'ping') return answerOf({ kind: 'result', result: {} });
    const given = isRecord(params) ? params : {};
    return method === 'tools/call' ? this.#call(given) : this.#request(method, given);
  }

  /** A call that was answered by an earlier connection of the same trial. */
  skip(params: unknown): void {
    if (isRecord(params)) this.#find(this.#comparedOf(params));
  }

  /** How the real server differs from the recorded one; undefined where it is the same. */
  differenceFrom(info: unknown): WireEnd | undefined {
    const recorded = this.#options.lines.find((line) => line.kind === 'server' && line.server === this.#options.server);
    const version = isRecord(info) ? info.version : undefined;
    if (recorded?.kind !== 'server' || recorded.version === version) return undefined;
    return miss(
      `is of version ${String(version)}, and its calls were recorded with ${recorded.version} (${recorded.place})`,
    );
  }

  #call(params: Message): ReplayedAnswer | undefined {
    const compared = this.#comparedOf(params);
    const number = (this.#counts.get(compared.tool) ?? 0) + 1;
    this.#counts.set(compared.tool, number);
    const found = this.#find(compared);
    if (found.kind === 'miss') return this.#missed(compared, found, number, params.arguments);
    const { entry } = found;
    this.#report(compared.tool, number, entry.place, answeredText(found));
    return { ...answerOf(this.#replyOf(entry), true), notifications: this.#notificationsOf(entry, params) };
  }

  #comparedOf({ _meta, name, arguments: args, ...input }: Message): ComparedCall {
    const given = this.#options.words.written([isRecord(args) ? args : {}, input]).value;
    return comparedMcp(String(name), given[0], given[1]);
  }

  #find(compared: ComparedCall): FoundCall<McpLine> | MissedCall<McpLine> {
    const inState = this.#requests.find(compared);
    return this.#calls ? this.#calls.find(compared) : inState;
  }

  #request(method: string, { _meta, ...params }: Message): ReplayedAnswer | undefined {
    const isBeginning = beginnings.has(method);
    const given = this.#options.words.written(isBeginning ? {} : params).value;
    const found = this.#requests.find(comparedRequest(method, given));
    if (found.kind === 'found')
      return { ...answerOf(this.#replyOf(found.entry)), notifications: this.#notificationsOf(found.entry, { _meta }) };
    if (isBeginning)
      return answerOf({ kind: 'error', error: { code: methodNotFound, message: `Method not found: ${method}` } });
    return this.#notRecorded(`got a request that ${missedText(found)}: ${method} ${argumentsText(params)}`, false);
  }

  #replyOf(line: McpLine): McpReply {
    const { result, error, unanswered } = this.#options.words.read({
      result: line.result,
      error: line.error,
      unanswered: line.unanswered,
    });
    if (error) return { kind: 'error', error };
    if (result) return { kind: 'result', result: line.kind === 'request' ? this.#withTools(line, result) : result };
    const { code = 'MCP_SERVER_TIMEOUT', what = 'did not answer' } = unanswered ?? {};
    if (code === 'MCP_SERVER_TIMEOUT') return { kind: 'silent' };
    return { kind: 'unanswered', end: { code: code as ErrorCode, what } };
  }

  /** Definitions have their own lines, and lists name them. */
  #withTools({ method }: Extract<McpLine, { kind: 'request' }>, result: Message): Message {
    if (method !== 'tools/list' || !Array.isArray(result.tools)) return result;
    const tools = result.tools.map((tool: unknown) => this.#options.words.read(this.#definitions.get(tool) ?? tool));
    return { ...result, tools };
  }

  #notificationsOf({ notifications = [] }: McpLine, { _meta }: Message): Message[] {
    const token = isRecord(_meta) ? _meta.progressToken : undefined;
    return this.#options.words.read(notifications).flatMap(({ method, params }) => {
      const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
      if (method !== 'notifications/progress' || !isRecord(params)) return [message];
      return token === undefined ? [] : [{ ...message, params: { ...params, progressToken: token } }];
    });
  }

  #missed(
    { tool }: ComparedCall,
    missed: MissedCall<McpLine>,
    number: number,
    args: unknown,
  ): ReplayedAnswer | undefined {
    const { nearest } = missed;
    const near = nearest ? `; the nearest recorded one is at ${nearest.place}` : '';
    const what = `got a call of "${tool}" that ${missedText(missed)}: ${argumentsText(args ?? {})}${near}`;
    this.#report(tool, number, nearest?.place ?? 'replay', missText(this.#options.rules.miss, 'tool'));
    return this.#notRecorded(what, true);
  }

  #notRecorded(what: string, isCall: boolean): ReplayedAnswer | undefined {
    const { miss: rule } = this.#options.rules;
    if (rule === 'real') return undefined;
    if (rule === 'error') return answerOf({ kind: 'unanswered', end: miss(what) }, isCall);
    if (!isCall) return answerOf({ kind: 'error', error: { code: methodNotFound, message: notRecorded } });
    return answerOf({ kind: 'result', result: failedResult(notRecorded) }, true);
  }

  #report(tool: string, callNumber: number, rule: string, what: string): void {
    const { server, onAction } = this.#options;
    onAction({ border: 'mcp', server, tool, callNumber, kind: 'replay', rule, what });
  }
}

function answerOf(reply: McpReply, isCall = false): ReplayedAnswer {
  return { reply, notifications: [], isCall };
}

function miss(what: string): WireEnd {
  return { code: 'TOOL_REPLAY_MISS', what };
}

function comparedLine(line: McpLine): ComparedCall {
  return line.kind === 'call'
    ? comparedMcp(line.tool, line.args, line.input)
    : comparedRequest(line.method, line.params);
}

function comparedMcp(tool: string, args: unknown, input: unknown = {}): ComparedCall {
  return comparedCall(tool, [args, input]);
}

function comparedRequest(method: string, params: unknown = {}): ComparedCall {
  return comparedCall(`request ${method}`, params);
}

/** Requests that say what a server is and offers: clients send them when they like, and again. */
function describesServer(method: string): boolean {
  return beginnings.has(method) || method.endsWith('/list');
}

function isReading({ annotations }: Message): boolean {
  return isRecord(annotations) && annotations.readOnlyHint === true;
}
