import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { type Bridge, type BridgeEnds, eraOfAgent, type Message, type ProtocolEra } from './bridge/bridge.ts';
import { LegacyAgentBridge } from './bridge/legacy-agent-bridge.ts';
import { ModernAgentBridge } from './bridge/modern-agent-bridge.ts';
import { type Exchange, idAtEdge, type MessageExchange } from './exchange.ts';
import type { Direction } from './log-reader.ts';
import type { MessageLog } from './message-log.ts';
import type { Wording } from './wording.ts';

interface BridgedRequest {
  readonly serverEra: ProtocolEra;
  readonly log: MessageLog;
  readonly wording: Wording | undefined;
  readonly plain: Exchange;
  readonly answerAgent: (frame: Buffer) => void;
  readonly askServer: (frame: Buffer) => void;
}

const lineFeed = Buffer.from('\n');

/**
 * The messages between an agent and a server that is spoken to in one era: translated where the agent speaks the other
 * one, and passed on as they are where it does not. The log has them as the server sent and got them.
 */
export class BridgedExchange implements MessageExchange {
  readonly #request: BridgedRequest;
  readonly #out = { 'to-server': [] as Buffer[], 'to-agent': [] as Buffer[] };
  #isDecided = false;
  #bridge: Bridge | undefined;

  constructor(request: BridgedRequest) {
    this.#request = request;
  }

  toServer(frame: Buffer): Buffer | null | undefined {
    const messages = messagesIn(frame);
    this.#decide(messages);
    const bridge = this.#bridge;
    const { wording, plain, answerAgent } = this.#request;
    if (!bridge) return plain.toServer(frame);
    const worded = wording?.toServer(frame);
    for (const { request, answer } of worded?.refused ?? []) plain.refuse(request, answer);
    if (worded?.frame === null) return null;
    for (const message of worded?.frame ? messagesIn(worded.frame) : messages) bridge.fromAgent(message);
    const answers = this.#taken('to-agent');
    if (answers) answerAgent(answers);
    return this.#taken('to-server');
  }

  fromServer(frame: Buffer, answeredBy?: ControlKind): Buffer | null | undefined {
    if (!this.#bridge) return this.#request.plain.fromServer(frame, answeredBy);
    if (frame.length > 0) this.#request.log.message('from-server', frame, false, answeredBy);
    return this.#crossed(messagesIn(frame));
  }

  answerFor(answer: Message): Buffer | null {
    return this.#bridge ? this.#crossed([answer]) : this.#request.plain.answerFor(answer);
  }

  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#request.log.oversized(direction, bytes, idAtEdge(edges));
  }

  #decide(messages: readonly Message[]): void {
    if (this.#isDecided) return;
    const era = messages.map(eraOfAgent).find((found) => found !== undefined);
    if (era === undefined) return;
    this.#isDecided = true;
    if (era === this.#request.serverEra) return;
    this.#bridge = era === 'legacy' ? new LegacyAgentBridge(this.#ends()) : new ModernAgentBridge(this.#ends());
  }

  #ends(): BridgeEnds {
    const { log, wording } = this.#request;
    return {
      toServer: (message) => {
        const frame = Buffer.from(JSON.stringify(message));
        log.message('to-server', frame);
        this.#out['to-server'].push(frame);
      },
      toAgent: (message) => {
        const frame = Buffer.from(JSON.stringify(message));
        this.#out['to-agent'].push(wording?.fromServer(frame) ?? frame);
      },
    };
  }

  #crossed(messages: readonly Message[]): Buffer | null {
    for (const message of messages) this.#bridge?.fromServer(message);
    const requests = this.#taken('to-server');
    if (requests) this.#request.askServer(requests);
    return this.#taken('to-agent');
  }

  /** The lines for one side since the last time. */
  #taken(side: 'to-server' | 'to-agent'): Buffer | null {
    const frames = this.#out[side].splice(0);
    if (frames.length === 0) return null;
    return Buffer.concat(frames.flatMap((frame, index) => (index === 0 ? [frame] : [lineFeed, frame])));
  }
}

function messagesIn(frame: Buffer): Message[] {
  const parsed = parseJson(frame.toString('utf8'));
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord);
}
