import { isModernRequest } from '../meta.ts';
import type { Wire, WireListener } from '../wire/wire.ts';
import type { McpControl } from './mcp-control.ts';
import { messageOf, requestIdOf } from './mcp-reply.ts';
import { MockedServer, type MockedServerDefinition } from './mocked-server.ts';
import { WaitingReplies } from './waiting-replies.ts';

/** A server that exists only as data, in this process. */
export class MockWire implements Wire {
  readonly #server: MockedServer;
  readonly #listener: WireListener;
  readonly #waiting = new WaitingReplies();
  readonly processTag = undefined;

  constructor(definition: MockedServerDefinition, control: McpControl | undefined, listener: WireListener) {
    this.#server = new MockedServer(definition, control);
    this.#listener = listener;
  }

  send(message: Readonly<Record<string, unknown>>): undefined {
    const { method, params } = message;
    const id = requestIdOf(message);
    // Notifications need no answer, and a server that never asks gets none.
    if (id === undefined || typeof method !== 'string') return undefined;
    const { reply, delayMs, answeredBy } = this.#server.answer(method, params);
    if (delayMs > 0) this.#listener.onDelayed?.(id, 'mock');
    this.#waiting.add(id, delayMs, () => {
      if (reply.kind === 'silent') this.#listener.onSilenced?.(id);
      else if (reply.kind === 'unanswered') this.#listener.onUnanswered(id, reply.end);
      else if (reply.kind !== 'restart')
        this.#listener.onMessage(messageOf(id, reply, isModernRequest(params), answeredBy));
    });
    return undefined;
  }

  /** Resolves when every request has its answer. */
  settled(): Promise<void> {
    return this.#waiting.settled();
  }

  cancel(requestId: string | number): boolean {
    this.#waiting.cancel(requestId);
    return true;
  }

  useProtocolVersion(): void {
    // It speaks every version.
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting.clear();
  }
}
