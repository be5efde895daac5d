import { type Redact, redactDeep } from '../../../shared/redaction/redaction.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { Authorizations } from '../authorization/authorizations.ts';
import type { HttpServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import { httpAddressOf } from './http-address.ts';
import type { Wire, WireListener } from './wire.ts';
import { listenerAround } from './wire-around.ts';

type Options = Pick<OpenSessionOptions, 'env' | 'timeoutMs' | 'signal' | 'authorizations'>;

/** A wire over streamable HTTP, or over the older pair of an event stream and posts. */
export async function openHttpWire(
  definition: HttpServerDefinition,
  options: Options,
  listener: WireListener,
): Promise<Wire> {
  const given = httpAddressOf(definition, options.env);
  const authorization = (options.authorizations ?? new Authorizations()).to(definition, options.env);
  const redact: Redact = authorization ? (text) => authorization.redact(given.redact(text)) : given.redact;
  const address = { ...given, redact, authorization };
  // A server may repeat the token that it got, in whatever it says.
  const listening = authorization ? withoutTokens(listener, authorization) : listener;
  if (definition.transport === 'sse') {
    const { openEventStream } = await import('./event-stream-wire.ts');
    return openEventStream(address, options, listening);
  }
  const { StreamableWire } = await import('./streamable-wire.ts');
  return new StreamableWire(address, listening);
}

function withoutTokens(listener: WireListener, { redact }: Authorization): WireListener {
  return listenerAround(listener, {
    onMessage: (message) => listener.onMessage(redactDeep(message, redact)),
    onStray: (text) => listener.onStray(redact(text)),
  });
}
