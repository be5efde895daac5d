import type { Variant } from '../domain/trial.ts';
import type { ConnectorSpec, ConversationConfig } from '../drive/targets/conversation/conversation-config.ts';
import { variablesIn } from '../shared/variables.ts';

/** Connectors that speak to a provider with its key, unless they are told another address or other headers. */
const keysOfProviders: Readonly<Record<string, string>> = {
  'openai-chat': 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** The variables that a conversation needs under a variant: those of its connector and of who talks to it. */
export function conversationNeeds(config: unknown, { connector, persona }: Variant): string[] {
  const { connectors, personas } = config as ConversationConfig;
  const names = Object.keys(connectors);
  const spec = connectors[connector ?? (names.length === 1 ? (names[0] ?? '') : '')];
  const headers = persona === undefined ? undefined : personas[persona]?.headers;
  return [...(spec ? connectorVariables(spec) : []), ...variablesIn(headers)];
}

function connectorVariables({ type, baseUrl, headers, config }: ConnectorSpec): string[] {
  const key = keysOfProviders[type];
  const hasOwn = baseUrl !== undefined || Object.keys(headers).some((name) => /auth|key/i.test(name));
  return [...variablesIn([baseUrl, headers, config]), ...(key === undefined || hasOwn ? [] : [key])];
}
