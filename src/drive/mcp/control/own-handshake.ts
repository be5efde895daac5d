import { isRecord } from '../../../shared/json.ts';
import { type Wire, WireError } from '../wire/wire.ts';
import type { Message } from './mcp-reply.ts';

/** Not one that a client could use for its own requests. */
const handshakeId = 'assay-handshake';

/** A handshake with a server in place of the client, which had its own with another server before. */
export class OwnHandshake {
  #settle: (answer: Message | undefined) => void = () => undefined;

  /** True for the answer to it, which the client must not see. */
  takes(message: unknown): boolean {
    if (!isRecord(message) || message.id !== handshakeId || message.method !== undefined) return false;
    this.#settle(message);
    return true;
  }

  /** True where the request that will not be answered is this one. */
  takesUnanswered(id: unknown): boolean {
    if (id !== handshakeId) return false;
    this.#settle(undefined);
    return true;
  }

  /** The server will say nothing more. */
  end(): void {
    this.#settle(undefined);
  }

  /** Greets as the client did; `check` sees what the server says of itself before the session begins. */
  async with(wire: Wire, greeting: Message, check?: (result: Message) => void): Promise<void> {
    const answered = new Promise<Message | undefined>((resolve) => {
      this.#settle = resolve;
    });
    void wire.send({ ...greeting, id: handshakeId });
    const answer = await answered;
    const result = answer && isRecord(answer.result) ? answer.result : undefined;
    if (!result) throw new WireError({ code: 'MCP_SERVER_NOT_STARTED', what: 'did not answer the handshake' });
    check?.(result);
    wire.useProtocolVersion(String(result.protocolVersion));
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
}
