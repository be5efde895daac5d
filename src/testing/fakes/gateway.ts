import { onTestFinished } from 'vitest';
import type { TraceEvent, TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';
import type { SessionOptions } from '../../drive/gateway/gateway-session.ts';
import { type GatewayAddress, type OpenSession, openGateway } from '../../drive/gateway/open-gateway.ts';
import { ProviderUpstream } from '../../drive/gateway/upstream.ts';
import { redactionOf } from '../../shared/redaction/redaction.ts';

/** A session of a gateway, and what it emitted. */
export interface TestedSession extends OpenSession {
  readonly events: readonly UnstampedEvent[];
  of<Type extends TraceEvent['type']>(type: Type): Omit<TraceEventOf<Type>, 'at' | 'seenBy'>[];
}

/** A gateway that is closed when the test has finished. */
export async function testedGateway(env: Readonly<Record<string, string>> = {}) {
  const gateway = await openGateway({ upstream: new ProviderUpstream(env) });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return {
    url: gateway.url,
    open(options: Partial<SessionOptions> = {}): TestedSession {
      const events: UnstampedEvent[] = [];
      const opened = gateway.openSession({
        emit: (event) => void events.push(event),
        redact: redactionOf([]),
        folder: undefined,
        limits: { costOf: () => undefined },
        task: 'Do the task.',
        onLimit: () => undefined,
        ...options,
      });
      const of = <Type extends TraceEvent['type']>(type: Type) =>
        events.filter((event) => event.type === type) as unknown as Omit<TraceEventOf<Type>, 'at' | 'seenBy'>[];
      return { ...opened, events, of };
    },
  };
}

type Api = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini';

/** How a client of each API sends a prompt. */
export const clients: Readonly<Record<Api, (isStreaming: boolean, prompt?: string) => { path: string; body: object }>> =
  {
    'anthropic-messages': (stream, prompt = 'Do the task.') => ({
      path: '/v1/messages',
      body: {
        model: 'claude-x',
        max_tokens: 500,
        stream,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
        tools: [{ name: 'Bash', input_schema: {} }],
      },
    }),
    'openai-chat': (stream, prompt = 'Do the task.') => ({
      path: '/v1/chat/completions',
      body: {
        model: 'gpt-x',
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: prompt },
        ],
        tools: [{ type: 'function', function: { name: 'Bash', parameters: {} } }],
      },
    }),
    'openai-responses': (stream, prompt = 'Do the task.') => ({
      path: '/v1/responses',
      body: {
        model: 'gpt-x',
        stream,
        instructions: 'Be brief.',
        input: [{ role: 'user', content: [{ type: 'input_text', text: prompt }] }],
        tools: [{ type: 'function', name: 'Bash', parameters: {} }],
      },
    }),
    gemini: (stream, prompt = 'Do the task.') => ({
      path: `/v1beta/models/gemini-x:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        tools: [{ functionDeclarations: [{ name: 'Bash' }] }],
      },
    }),
  };

/** The names of all APIs. */
export const apis = Object.keys(clients) as Api[];

/** Sends a prompt to an address of a gateway, as a client of the API does. */
export function send(address: GatewayAddress, api: Api, isStreaming: boolean, prompt?: string): Promise<Response> {
  const { path, body } = clients[api](isStreaming, prompt);
  const [key = ''] = address.placeholders;
  const header = { 'anthropic-messages': 'x-api-key', gemini: 'x-goog-api-key' }[api as string];
  const auth: Record<string, string> = header === undefined ? { authorization: `Bearer ${key}` } : { [header]: key };
  return fetch(`${address.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...auth },
    body: JSON.stringify(body),
  });
}
