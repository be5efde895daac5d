import type { RequestId, Wire } from './wire.ts';

/** A wire in front of another: whatever it does not change is that of the other, as soon as that is open. */
export abstract class WireAround implements Wire {
  protected abstract get behind(): Wire | undefined;

  abstract send(
    message: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> | undefined;

  abstract cancel(requestId: RequestId): boolean;

  abstract [Symbol.asyncDispose](): PromiseLike<void>;

  useProtocolVersion(version: string): void {
    this.behind?.useProtocolVersion(version);
  }

  get processTag(): string | undefined {
    return this.behind?.processTag;
  }

  stderr(): string | undefined {
    return this.behind?.stderr();
  }
}
