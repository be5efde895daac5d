import type { ServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import type { Wire, WireListener } from './wire.ts';

type Options = Pick<OpenSessionOptions, 'directory' | 'env' | 'timeoutMs' | 'signal' | 'authorizations'>;

/** Starts a program or connects; what carries messages over HTTP is loaded when a server is reached that way. */
export async function openWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  if (definition.transport === 'stdio') {
    const { StdioWire } = await import('./stdio-wire.ts');
    return new StdioWire(definition, options, listener);
  }
  const { openHttpWire } = await import('./http-wire.ts');
  return openHttpWire(definition, options, listener);
}
