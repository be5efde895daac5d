import type { ServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import type { Wire, WireListener } from './wire.ts';

type Options = Pick<
  OpenSessionOptions,
  'directory' | 'env' | 'timeoutMs' | 'signal' | 'authorizations' | 'control' | 'processTag'
>;

/** Opens the wire to a server, behind the control of the trial where it has one. */
export async function openWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  const { control } = options;
  if (!control?.isActive) return openRealWire(definition, options, listener);
  const { ControlledWire } = await import('../control/controlled-wire.ts');
  return ControlledWire.open(control, listener, (inner) => openRealWire(definition, options, inner));
}

/** Starts a program or connects; what carries messages over HTTP is loaded when a server is reached that way. */
async function openRealWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  if (definition.transport === 'stdio') {
    const { StdioWire } = await import('./stdio-wire.ts');
    return new StdioWire(definition, options, listener);
  }
  if (definition.transport === 'mock') {
    const { MockWire } = await import('../control/mock-wire.ts');
    return new MockWire(definition, options.control, listener);
  }
  const { openHttpWire } = await import('./http-wire.ts');
  return openHttpWire(definition, options, listener);
}
