import { onTestFinished } from 'vitest';
import type { Message } from '../../../domain/message.ts';
import type {
  Connector,
  ConnectorKind,
  ConnectorRequest,
  ConnectorSettings,
} from '../../../drive/connectors/connector.ts';
import { Threads } from '../../../drive/targets/call/threads.ts';

interface OpeningOptions extends Partial<ConnectorSettings> {
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly threads?: Threads;
}

/** Opens a connector with a config as a user writes it; it is closed when the test has finished. */
export async function opened(
  kind: ConnectorKind,
  written: unknown,
  { env = {}, directory = '.', threads = new Threads(), baseUrl, headers = {} }: OpeningOptions = {},
): Promise<Connector> {
  const config = kind.configSchema.parse(written);
  const signal = new AbortController().signal;
  const connector = await kind.open(config, { baseUrl, headers }, { directory, env, threads, signal });
  onTestFinished(() => connector[Symbol.asyncDispose]());
  return connector;
}

/** A question of the user in a new conversation, unless something else is said. */
export function asking(text: string, rest: Partial<ConnectorRequest> = {}): ConnectorRequest {
  return {
    messages: [{ role: 'user', content: text }],
    seenCount: 0,
    conversationId: 'conversation-1',
    turn: 1,
    headers: {},
    model: undefined,
    signal: new AbortController().signal,
    ...rest,
  };
}

/** The next question of a conversation, after an answer. */
export function goingOn(before: ConnectorRequest, answer: readonly Message[], text: string): ConnectorRequest {
  const messages = [...before.messages, ...answer];
  return {
    ...before,
    messages: [...messages, { role: 'user', content: text }],
    seenCount: messages.length,
    turn: before.turn + 1,
  };
}
