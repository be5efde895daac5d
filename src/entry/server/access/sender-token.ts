import type { IncomingMessage } from 'node:http';
import { OtlpRefusal } from '../../collect/otlp-refusal.ts';
import { mayAs } from '../api/access.ts';
import { bearerToken, tokenCheck } from '../guard.ts';
import type { Caller } from './caller.ts';
import type { IssuedTokens } from './issued-tokens.ts';

interface SenderTokens {
  /** Gives nothing but the right to send traces. */
  readonly sending?: string | undefined;
  /** The token of the server itself. */
  readonly own: string;
  readonly issued: Pick<IssuedTokens, 'find' | 'withDigest'>;
}

/** Refuses requests without a token that may send traces: runners may, because traces become runs. */
export function senderCheck({ sending, own, issued }: SenderTokens): (request: IncomingMessage) => void {
  const callerOf = tokenCheck({ token: own, issued });
  const isSender = sending === undefined ? () => undefined : tokenCheck({ token: sending });
  return ({ headers: { authorization } }) => {
    const token = authorization === undefined ? undefined : bearerToken(authorization);
    if (isSender(token)) return;
    const caller: Caller | undefined = callerOf(token);
    if (!caller) throw new OtlpRefusal(401, 'The token is missing or wrong; send `Authorization: Bearer <token>`.');
    if (!mayAs(caller.role, 'runner')) {
      throw new OtlpRefusal(403, `Sending traces needs the role runner; your token has the role ${caller.role}.`);
    }
  };
}
