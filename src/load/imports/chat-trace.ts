import type { Loss } from '../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../domain/message.ts';
import type { TraceEventOf } from '../../domain/trace.ts';
import { sumOfUsage, totalTokensOf, type Usage, type UsageReading } from '../../domain/usage.ts';
import { readCounts } from '../../drive/wire/reported-usage.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson, isRecord, resemblesJson } from '../../shared/json.ts';
import { Repeats } from '../../shared/repeats.ts';
import { type MessageCall, type MessageResult, type ReadMessage, readMessage } from './chat-message.ts';
import { charactersIn, figureOf, type JsonObject, nameOf, timeOf } from './coerce.ts';
import { lost } from './losses.ts';
import type { TraceCollector } from './trace-collector.ts';

const shellTools = /^(?:bash|shell|sh|terminal|run_shell_command|execute_bash|run_command|exec_command|local_shell)$/i;

/** The command line of a call, if the tool's name is that of a shell. */
export function shellCommandOf(tool: string, input: unknown): { shellCommand?: string } {
  const command = isRecord(input) ? (input.command ?? input.cmd) : undefined;
  return shellTools.test(tool) && typeof command === 'string' ? { shellCommand: command } : {};
}

const longestAnswer = 1_048_576;

/** Figures of one request to a model. */
export interface RequestFigures {
  readonly usage: UsageReading;
  /** As it is written; undefined where there is none. */
  readonly costUsd?: unknown;
  readonly model?: string | undefined;
}

interface KnownFigures {
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
}

/** Receiver of a conversation's events. */
type EventReceiver = Pick<TraceCollector, 'emit' | 'setTime' | 'lose'> & {
  /** Whether a call was seen elsewhere than in the messages. */
  hasCall?(callId: string): boolean;
};

/** Turns the messages of a conversation into events, and each answer to the user into a turn. */
export class ChatTraceBuilder {
  readonly #collector: EventReceiver;
  readonly #unnamedCalls: string[] = [];
  readonly #openCalls = new Map<string, string>();
  readonly #answeredCalls = new Map<string, string>();
  #answer: Message[] = [];
  #answerSize = 0;
  #leftOut = 0;
  #turns = 0;
  #calls = 0;
  #promptedAtMs: number | undefined;
  #answeredAtMs: number | undefined;
  readonly #requests: KnownFigures[] = [];
  #answerRequests: KnownFigures[] = [];
  readonly #repeats = new Repeats();
  readonly #callTurns = new Map<string, number>();
  #isAnswered = false;
  #hasOwnFigures = false;
  #withoutFigures = 0;

  constructor(collector: EventReceiver) {
    this.#collector = collector;
  }

  /** False for a value that is not a message, which is a loss; `place` is where it stands. */
  add(message: unknown, place?: string): boolean {
    const read = readMessage(message);
    if (!read || !isRecord(message)) {
      this.#collector.lose(lost.everything, 'a message was not understood', place);
      return false;
    }
    const timeMs = timeOf(message.timestamp ?? message.created_at);
    this.#collector.setTime(message.timestamp ?? message.created_at);
    const isAgain = this.#repeats.standingOf(message) === 'again';
    if (isAgain && (read.role === 'assistant' || read.role === 'tool')) {
      this.#collector.lose(lost.everything, 'the same message stands twice in a row and counts once', place);
      return true;
    }
    this.#isAnswered = read.role === 'assistant' && read.calls.length === 0;
    for (const loss of read.losses) this.#lose(loss, place);
    for (const result of read.results) this.#toolResult(result, place);
    if (read.role === 'assistant') this.#assistant(read, message, timeMs, place);
    else if (read.role !== 'tool' && read.text !== '') this.#prompt(read.role, read.text, timeMs);
    return true;
  }

  /** Adds the messages of a list; `onInvalid` gets the number of each that is not a message, from 1. */
  addAll(messages: unknown, place: string, onInvalid: (number: number) => void): void {
    if (messages === undefined || messages === null) return;
    if (!Array.isArray(messages)) this.#collector.lose(lost.message, 'the messages are not a list', place);
    else for (const [index, message] of messages.entries()) if (!this.add(message, place)) onInvalid(index + 1);
  }

  /** Must be called after the last message. */
  finish(): void {
    this.#endAnswer();
    const countWith = (has: (figures: KnownFigures) => boolean): number => this.#requests.filter(has).length;
    const all = this.#requests.length + (this.#hasOwnFigures ? this.#withoutFigures : 0);
    const [counts, costs] = [
      countWith(({ usage }) => usage !== undefined),
      countWith(({ costUsd }) => costUsd !== undefined),
    ];
    if (counts > 0 && counts < all)
      this.#collector.lose(['usage'], `${all - counts} of ${all} requests have no tokens`);
    if (costs > 0 && costs < all) this.#collector.lose(lost.cost, `${all - costs} of ${all} requests have no cost`);
  }

  /** Whether the last message is an answer, after which nothing must follow. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Widens the time of the current answer. */
  addTime(startMs: number | undefined, endMs: number | undefined): void {
    if (startMs !== undefined) this.#promptedAtMs = Math.min(this.#promptedAtMs ?? startMs, startMs);
    if (endMs !== undefined) this.#answeredAtMs = Math.max(this.#answeredAtMs ?? endMs, endMs);
  }

  get turnCount(): number {
    return this.#turns + (this.#answer.length > 0 ? 1 : 0);
  }

  /** Adds the figures of one request to a model to the current answer. */
  addRequest({ usage: { usage, problem }, costUsd: written, model }: RequestFigures, place?: string): void {
    if (problem !== undefined) this.#collector.lose(lost.usage, `the tokens cannot be: ${problem}`, place);
    if (usage && totalTokensOf(usage) === undefined) {
      this.#collector.lose(['usage'], 'only a part of the tokens of a request is known', place);
    }
    const costUsd = this.#cost(written, place);
    this.#requests.push({ usage, costUsd });
    this.#answerRequests.push({ usage, costUsd });
    if (!usage && costUsd === undefined) return;
    this.#collector.emit({ type: 'usage', ...usage, ...(model !== undefined && { model }), ...optionalCost(costUsd) });
  }

  /** Compares figures of the whole conversation with those of its requests; without these, they are its figures. */
  addTotal({ usage, costUsd: written, model }: RequestFigures, place?: string): void {
    if (this.#requests.length === 0) {
      if (usage.usage || usage.problem !== undefined || written != null) {
        this.addRequest({ usage, costUsd: written, model }, place);
      }
      return;
    }
    const usages = this.#requests.flatMap((request) => request.usage ?? []);
    const [sum, total] = [totalTokensOf(sumOfUsage(usages) ?? {}), totalTokensOf(usage.usage ?? {})];
    if (usage.problem !== undefined) this.#collector.lose(lost.usage, `the total cannot be: ${usage.problem}`, place);
    if (sum !== undefined && total !== undefined && total > sum) {
      this.#collector.lose(lost.usage, `${total} tokens in all, and ${sum} in the requests`, place);
    }
    const costs = this.#requests.flatMap((request) => request.costUsd ?? []);
    const costUsd = this.#cost(written, place);
    const spent = costs.reduce((all, cost) => all + cost, 0);
    if (costs.length > 0 && costUsd !== undefined && costUsd > spent * 1.01 + 1e-6) {
      this.#collector.lose(lost.cost, `$${costUsd} in all, and $${spent} in the requests`, place);
    }
  }

  #cost(written: unknown, place: string | undefined): number | undefined {
    const costUsd = figureOf(written);
    if (costUsd !== undefined && costUsd >= 0) return costUsd;
    if (written !== undefined && written !== null && written !== '') {
      this.#collector.lose(lost.cost, `the cost ${JSON.stringify(written)} is not an amount`, place);
    }
    return undefined;
  }

  #lose({ channels, reason, place: within }: Loss, place: string | undefined): void {
    this.#collector.lose(channels, reason, place ?? within);
  }

  #endAnswer(): void {
    if (this.#answer.length === 0) return;
    const latencyMs = (this.#answeredAtMs ?? Number.NaN) - (this.#promptedAtMs ?? Number.NaN);
    const measured = latencyMs >= 0 ? { latencyMs: Math.round(latencyMs) } : {};
    const number = ++this.#turns;
    this.#collector.emit({ type: 'turn', number, messages: this.#answer, ...measured, ...this.#takeFigures() });
    if (this.#leftOut > 0) {
      const reason = `turn ${number} lacks ${counted(this.#leftOut, 'message')}: it is too long`;
      this.#collector.emit({ type: 'notice', seenBy: 'engine', message: reason });
    }
    this.#answer = [];
    this.#answerSize = 0;
    this.#leftOut = 0;
    this.#promptedAtMs = undefined;
    this.#answeredAtMs = undefined;
  }

  /** All messages are events; the turn of a long answer has only the first and the last ones. */
  #addToAnswer(message: Message): void {
    this.#answer.push(message);
    this.#answerSize += charactersIn(message);
    while (this.#answerSize > longestAnswer && this.#answer.length > 2) {
      this.#answerSize -= charactersIn(this.#answer.splice(1, 1)[0]);
      this.#leftOut++;
    }
  }

  #prompt(role: 'user' | 'system', text: string, timeMs: number | undefined): void {
    if (role === 'user') {
      this.#endAnswer();
      // A result that was written in an unknown way is read as words of the user, and parts the answer.
      if (this.#openCalls.size > 0 && resemblesJson(text))
        this.#collector.lose(lost.everything, 'a message of the user stands in the place of the result of a call');
      this.#promptedAtMs = timeMs;
      this.#answeredAtMs = undefined;
    }
    this.#collector.emit({ type: 'message', seenBy: 'engine', role, text });
  }

  #assistant(read: ReadMessage, message: JsonObject, timeMs: number | undefined, place: string | undefined): void {
    this.#answeredAtMs = timeMs ?? this.#answeredAtMs;
    const thought = nameOf(message.reasoning_content) ?? nameOf(message.reasoning);
    if (thought !== undefined) this.#collector.emit({ type: 'reasoning', text: thought });
    const { text } = read;
    if (text !== '') this.#collector.emit({ type: 'message', role: 'assistant', text });
    const made = read.calls.flatMap((call) => this.#toolCall(call, place));
    this.#addToAnswer({
      role: 'assistant',
      content: text === '' ? null : text,
      ...(made.length > 0 && { tool_calls: made }),
    });
    this.#addOwnFigures(message, place);
  }

  /** Words that were written without a model cost nothing and have no tokens. */
  #addOwnFigures({ usage, cost }: JsonObject, place: string | undefined): void {
    if (isRecord(usage)) {
      this.#hasOwnFigures = true;
      this.addRequest({ usage: readCounts(usage), costUsd: cost }, place);
    } else if (cost !== 0) this.#withoutFigures++;
  }

  #toolCall(call: MessageCall, place: string | undefined): MessageToolCall[] {
    this.#calls++;
    const callId = call.id ?? `call-${this.#calls}`;
    const { name: tool, input } = call;
    const content = canonicalJson([tool, input]);
    const before = this.#openCalls.get(callId);
    if (before !== undefined) {
      this.#collector.lose(lost.call, `there are two calls with the id ${callId}`, place);
      if (before === content) return [];
    }
    if (call.id === undefined) this.#unnamedCalls.push(callId);
    this.#openCalls.set(callId, content);
    this.#callTurns.set(callId, this.#turns);
    this.#collector.emit({ type: 'tool-call', callId, tool, input, ...shellCommandOf(tool, input) });
    const written = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
    return [{ id: callId, type: 'function', function: { name: tool, arguments: written } }];
  }

  #toolResult({ id, text, error }: MessageResult, place: string | undefined): void {
    const callId = nameOf(id) ?? this.#unnamedCalls.shift() ?? 'unknown';
    const content = canonicalJson([text, error]);
    if (!this.#openCalls.delete(callId)) {
      const before = this.#answeredCalls.get(callId);
      if (before === content) return;
      const isCalled = before !== undefined || this.#collector.hasCall?.(callId);
      if (before !== undefined) this.#collector.lose(lost.result, `call ${callId} has two results`, place);
      if (!isCalled) this.#collector.lose(lost.everything, `the call of the result ${callId} is missing`, place);
    }
    if ((this.#callTurns.get(callId) ?? this.#turns) < this.#turns)
      this.#collector.lose(
        lost.everything,
        `a message of the user stands between call ${callId} and its result`,
        place,
      );
    this.#answeredCalls.set(callId, content);
    const answer = error === undefined ? { result: text } : { error: { message: error } };
    this.#collector.emit({ type: 'tool-result', callId, ...answer });
    this.#addToAnswer({ role: 'tool', content: text, tool_call_id: callId });
  }

  #takeFigures(): Pick<TraceEventOf<'turn'>, 'usage' | 'costUsd'> {
    const requests = this.#answerRequests;
    this.#answerRequests = [];
    const costs = requests.flatMap(({ costUsd }) => costUsd ?? []);
    const isCostKnown = costs.length === requests.length && costs.length > 0;
    const usage = requests.every((request) => request.usage)
      ? sumOfUsage(requests.map((request) => request.usage ?? {}))
      : undefined;
    return {
      ...(usage && { usage }),
      ...optionalCost(isCostKnown ? costs.reduce((sum, cost) => sum + cost, 0) : undefined),
    };
  }
}

function optionalCost(costUsd: number | undefined): { costUsd?: number } {
  return costUsd === undefined ? {} : { costUsd };
}
