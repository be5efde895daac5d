import type { ErrorCode } from '../../../domain/errors.ts';
import { printable } from '../../../shared/text.ts';
import { WireError } from '../wire/wire.ts';

/** Why a server that requires authorization cannot be used. */
export function authorizationFault(why: string, code: ErrorCode = 'MCP_AUTHORIZATION_FAILED'): WireError {
  return new WireError({ code, what: `requires authorization, but ${printable(why)}` });
}
