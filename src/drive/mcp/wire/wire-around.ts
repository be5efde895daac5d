import type { RequestId, Wire, WireListener } from './wire.ts';

/** A wire in front of another: whatever it does not change is that of the other, as soon as that is open. */
export class WireAround implements Wire {
  protected behind: Wire | undefined;

  send(
    message: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> | undefined {
    return this.behind?.send(message, headers);
  }

  cancel(requestId: RequestId): boolean {
    return this.behind?.cancel(requestId) ?? true;
  }

  useProtocolVersion(version: string): void {
    this.behind?.useProtocolVersion(version);
  }

  get processTag(): string | undefined {
    return this.behind?.processTag;
  }

  stderr(): string | undefined {
    return this.behind?.stderr();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.behind?.[Symbol.asyncDispose]();
  }
}

/** A listener that changes some of what it hears, and passes on the rest. */
export function listenerAround(listener: WireListener, changed: Partial<WireListener>): WireListener {
  return {
    onMessage: (message) => listener.onMessage(message),
    onStray: (text) => listener.onStray(text),
    onEnd: (end) => listener.onEnd(end),
    onUnanswered: (requestId, end) => listener.onUnanswered(requestId, end),
    ...changed,
  };
}
