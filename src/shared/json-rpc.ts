/** An error that one side of a JSON-RPC connection answers a request with; a handler of requests may throw it. */
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
export const invalidParams = -32_602;
export const internalError = -32_603;
/** The first code that a server may define itself. */
export const serverError = -32_000;
