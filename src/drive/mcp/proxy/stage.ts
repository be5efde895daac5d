import { isRecord } from '../../../shared/json.ts';

export type Message = Readonly<Record<string, unknown>>;

/** How messages get to either side. */
export interface BridgeEnds {
  toServer(message: Message): void;
  toAgent(message: Message): void;
}

/** How a stage sends messages, and refuses requests. */
export interface StageEnds extends BridgeEnds {
  /** Answers a request with an error in place of the server, which does not get it; both are on record. */
  refuse(request: Message, code: number, message: string): void;
  /** The same where the answer is not for the agent. */
  recordRefusal(request: Message, code: number, message: string): Message;
}

/**
 * Stands between an agent and a server, and changes what passes: other words for tools, other ways to offer them, another
 * era of the protocol. A message that it does not change is passed on as the same object, and then as the same bytes.
 */
export interface Stage {
  fromAgent(message: Message): void;
  fromServer(message: Message): void;
}

export type MakeStage = (ends: StageEnds) => Stage;

export function paramsOf({ params }: Message): Message {
  return isRecord(params) ? params : {};
}

export function without(record: Message, ...keys: readonly string[]): Message {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

export function errorAnswer({ id }: Message, code: number, message: string): Message {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}
