import type { AuthorizedAddress } from './http-address.ts';
import type { Message } from './http-messages.ts';
import { mirroredHeaders, versionOf } from './mirrored-headers.ts';
import { PostingWire } from './posting-wire.ts';
import type { RequestId, Wire, WireListener } from './wire.ts';

/**
 * Streamable HTTP. Since 2026-07-28 every request is one exchange, which is made here; a message of the older versions
 * belongs to a session, and goes over a second wire that is opened for the first of them.
 */
export class StreamableWire extends PostingWire {
  #older: Promise<Wire> | undefined;
  #openedOlder: Wire | undefined;
  #version: string | undefined;

  constructor(address: AuthorizedAddress, listener: WireListener) {
    super(address, listener, true);
  }

  async send(message: Message, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.isOver) return;
    const version = versionOf(message) ?? (this.#older || message.method === 'initialize' ? undefined : this.#version);
    if (version === undefined) return (await this.#olderWire()).send(message);
    this.#version = version;
    await this.post(message, { ...mirroredHeaders(message, version), ...headers });
  }

  override cancel(requestId: RequestId): boolean {
    return super.cancel(requestId) || (this.#openedOlder?.cancel(requestId) ?? this.#older === undefined);
  }

  useProtocolVersion(version: string): void {
    this.#openedOlder?.useProtocolVersion(version);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    const older = await this.#older?.catch(() => undefined);
    await older?.[Symbol.asyncDispose]();
  }

  /** Loaded for servers of the older versions only. */
  #olderWire(): Promise<Wire> {
    this.#older ??= import('./session-wire.ts').then(({ SessionWire }) => {
      this.#openedOlder = new SessionWire(this.address, this.listener);
      return this.#openedOlder;
    });
    return this.#older;
  }
}
