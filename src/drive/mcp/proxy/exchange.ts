import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { Direction } from './log-reader.ts';
import type { MessageLog } from './message-log.ts';
import { errorAnswer, type MakeStage, type Message, type Stage } from './stage.ts';

const id = String.raw`(-?\d+|"(?:[^"\\]|\\.){0,200}")`;
const idAtStart = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*${id}\s*,`);
const idAtEnd = new RegExp(String.raw`"id"\s*:\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message of which only both ends are known: programs write it first or last. */
export function idAtEdge(edges: string): string | number | null {
  const found = (idAtStart.exec(edges) ?? idAtEnd.exec(edges))?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}

/** How messages get to either side of a relay. */
export interface Sides {
  readonly answerAgent: (frame: Buffer) => void;
  readonly askServer: (frame: Buffer) => void;
}

/** Makes the exchange of a relay. */
export type MakeExchange = (sides: Sides) => Exchange;

/** Messages that a line became, for each side. */
interface Passed {
  readonly toServer: Message[];
  readonly toAgent: Message[];
}

/** The messages between an agent and a server, line by line: logged as the server sees them, and changed by stages. */
export class Exchange {
  readonly #log: MessageLog;
  readonly #sides: Sides;
  /** The first is next to the agent, the last next to the server. */
  readonly #stages: readonly Stage[];
  /** Collects what the stages send while a line passes; what they send later is sent at once. */
  #passing: Passed | undefined;

  constructor(log: MessageLog, stages: readonly MakeStage[], sides: Sides) {
    this.#log = log;
    this.#sides = sides;
    this.#stages = stages.map((make, index) =>
      make({
        toServer: (message) => this.#towardsServer(index + 1, message),
        toAgent: (message) => this.#towardsAgent(index - 1, message),
        refuse: (...refusal) => this.#towardsAgent(index - 1, this.#recordRefusal(...refusal)),
        recordRefusal: (...refusal) => this.#recordRefusal(...refusal),
      }),
    );
  }

  /** Gives what the server gets instead of the line of the agent: null for nothing, undefined for the line itself. */
  toServer(frame: Buffer): Buffer | null | undefined {
    const { messages, isBatch } = this.#read(frame);
    const { toServer, toAgent } = this.#pass(() => {
      for (const message of messages) this.#towardsServer(0, message);
    });
    const answers = frameOf(toAgent, messages, isBatch);
    if (answers) this.#sides.answerAgent(answers);
    if (areSame(toServer, messages)) {
      if (frame.length > 0) this.#log.message('to-server', frame);
      return undefined;
    }
    for (const message of toServer) this.#log.message('to-server', bytesOf(message));
    return frameOf(toServer, messages, isBatch);
  }

  /** Gives what the agent gets instead of the line of the server, in the same way. */
  fromServer(frame: Buffer, answeredBy?: ControlKind): Buffer | null | undefined {
    if (frame.length > 0) this.#log.message('from-server', frame, false, answeredBy);
    const { messages, isBatch } = this.#read(frame);
    const toAgent = this.#receive(messages);
    return areSame(toAgent, messages) ? undefined : frameOf(toAgent, messages, isBatch);
  }

  /** An answer that the proxy makes for the server, as the agent gets it; null where it waits for none. */
  answerFor(answer: Message): Buffer | null {
    return frameOf(this.#receive([answer]), [answer], false);
  }

  /** A message that was too long to be parsed was passed on. */
  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#log.oversized(direction, bytes, idAtEdge(edges));
  }

  /** Where nothing changes messages, none is parsed. Older versions allow several messages in one line. */
  #read(frame: Buffer): { readonly messages: readonly Message[]; readonly isBatch: boolean } {
    const parsed = this.#stages.length === 0 ? undefined : parseJson(frame.toString('utf8'));
    return { messages: [parsed].flat().filter(isRecord), isBatch: Array.isArray(parsed) };
  }

  /** Gives what the agent gets of messages of the server. */
  #receive(messages: readonly Message[]): readonly Message[] {
    const { toServer, toAgent } = this.#pass(() => {
      for (const message of messages) this.#towardsAgent(this.#stages.length - 1, message);
    });
    for (const message of toServer) this.#send(message);
    return toAgent;
  }

  #pass(work: () => void): Passed {
    const passed: Passed = { toServer: [], toAgent: [] };
    this.#passing = passed;
    work();
    this.#passing = undefined;
    return passed;
  }

  #recordRefusal(request: Message, code: number, message: string): Message {
    const answer = errorAnswer(request, code, message);
    this.#log.message('to-server', bytesOf(request), true);
    this.#log.message('from-server', bytesOf(answer), true);
    return answer;
  }

  #towardsServer(index: number, message: Message): void {
    const stage = this.#stages[index];
    if (stage) stage.fromAgent(message);
    else if (this.#passing) this.#passing.toServer.push(message);
    else this.#send(message);
  }

  #towardsAgent(index: number, message: Message): void {
    const stage = this.#stages[index];
    if (stage) stage.fromServer(message);
    else if (this.#passing) this.#passing.toAgent.push(message);
    else this.#sides.answerAgent(bytesOf(message));
  }

  #send(message: Message): void {
    const bytes = bytesOf(message);
    this.#log.message('to-server', bytes);
    this.#sides.askServer(bytes);
  }
}

function areSame(passed: readonly Message[], messages: readonly Message[]): boolean {
  return passed.length === messages.length && passed.every((message, index) => message === messages[index]);
}

/** A line, or one for each message where they are no parts of the same batch any more; null where there is none. */
function frameOf(passed: readonly Message[], given: readonly Message[], isBatch: boolean): Buffer | null {
  if (passed.length === 0) return null;
  if (isBatch && passed.every((message) => given.some(({ id }) => id === message.id))) return bytesOf(passed);
  return Buffer.from(passed.map((message) => JSON.stringify(message)).join('\n'));
}

function bytesOf(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** A frame with the end of its line. */
export function asLine(frame: Buffer): Buffer {
  return Buffer.concat([frame, Buffer.from('\n')]);
}
