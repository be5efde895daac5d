/** An error that one side of the protocol answers a request with; a handler of requests may throw it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const methodNotFound = -32_601;
export const internalError = -32_603;
export const tooBusy = -32_000;
