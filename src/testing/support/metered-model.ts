import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, serve } from './http-server.ts';

/** At these prices a reply of 50 tokens costs 5 cents. */
export const meteredPrices = { inputPer1M: 0, outputPer1M: 1_000 };

interface MeteredOptions {
  /** Of each reply. */
  readonly replyTokens?: number;
  /** Whether the connection is dropped after a request was read and billed; counted from 1. */
  isDropped?(request: number): boolean;
  textFor?(body: Record<string, unknown>): string;
}

/** A model server on the loopback address that bills every request that it has read, whether or not its reply arrives. */
export async function meteredModel(options: MeteredOptions = {}) {
  const { replyTokens = 50, isDropped = () => false, textFor = () => 'Hi' } = options;
  const bodies: Record<string, unknown>[] = [];
  const keys: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: Record<string, unknown> = JSON.parse(await bodyOf(request));
    bodies.push(body);
    keys.push(request.headers.authorization);
    if (isDropped(bodies.length)) {
      request.socket.destroy();
      return;
    }
    const message = { role: 'assistant', content: textFor(body) };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: `chat-${bodies.length}`,
        object: 'chat.completion',
        created: 1,
        model: body.model,
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: replyTokens, total_tokens: 10 + replyTokens },
      }),
    );
  };
  const url = await serve((request, response) => void answer(request, response));
  return {
    url: `${url}/v1`,
    env: { OPENAI_API_KEY: 'any-key-will-do', OPENAI_BASE_URL: `${url}/v1` },
    bodies,
    /** Header `authorization` of each request. */
    keys,
    billedTokens: () => bodies.length * replyTokens,
  };
}
