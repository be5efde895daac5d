import type { ModelApi } from '../../../domain/trace-schema.ts';
import { isRecord, jsonOrText } from '../../../shared/json.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';
import type { EventCodec } from '../../wire/codec.ts';

interface AgentCall {
  readonly number: number;
  readonly api: EventCodec;
}

/** A request as it arrived from the agent. */
export interface AgentRequest {
  /** Undefined for a request other than a call for a reply. */
  readonly call: AgentCall | undefined;
  readonly method: string;
  readonly pathname: string;
  /** Behind the base URL. */
  readonly path: string;
  /** Before it was compressed. */
  readonly body: string;
}

/** A call for a reply. */
export type CallRequest = AgentRequest & { readonly call: AgentCall };

/** Messages of a request, by the name that each API has for them. */
const messagesField: Readonly<Record<ModelApi, string>> = {
  'anthropic-messages': 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  gemini: 'contents',
};

/** A call in the form in which calls are compared. */
export function comparedRequest(
  { body, pathname, call: { api } }: CallRequest,
  normalise: (value: unknown) => unknown,
): ComparedRequest {
  const parsed = jsonOrText(body);
  const sent = isRecord(parsed) ? { ...parsed, model: api.readRequest(parsed, pathname).model } : { text: parsed };
  const { [messagesField[api.name]]: given, ...fields } = normalise(sent) as Record<string, unknown>;
  return { fields, messages: Array.isArray(given) ? given : given === undefined ? [] : [given] };
}

export function isCall(request: AgentRequest): request is CallRequest {
  return request.call !== undefined;
}
