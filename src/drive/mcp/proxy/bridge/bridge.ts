import { isRecord } from '../../../../shared/json.ts';
import { isModernRequest } from '../../meta.ts';

export type Message = Readonly<Record<string, unknown>>;

/** How a bridge sends messages to either side. */
export interface BridgeEnds {
  toServer(message: Message): void;
  toAgent(message: Message): void;
}

/** Translates between an agent and a server of different eras of the protocol. */
export interface Bridge {
  fromAgent(message: Message): void;
  fromServer(message: Message): void;
}

export type ProtocolEra = 'legacy' | 'modern';

/** The era of the agent that sends this first request; undefined for a message that does not say. */
export function eraOfAgent({ method, params }: Message): ProtocolEra | undefined {
  if (method === 'initialize') return 'legacy';
  if (method === 'server/discover') return 'modern';
  return isModernRequest(params) ? 'modern' : undefined;
}

/** The requests whose answer may be that the server needs input first. */
export const mayNeedInput: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Notifications of changed lists: what `subscriptions/listen` calls them. */
export const listChanges: Readonly<Record<string, { readonly key: string; readonly capability: string }>> = {
  'notifications/tools/list_changed': { key: 'toolsListChanged', capability: 'tools' },
  'notifications/prompts/list_changed': { key: 'promptsListChanged', capability: 'prompts' },
  'notifications/resources/list_changed': { key: 'resourcesListChanged', capability: 'resources' },
};

export function paramsOf({ params }: Message): Message {
  return isRecord(params) ? params : {};
}

export function without(record: Message, ...keys: readonly string[]): Message {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
