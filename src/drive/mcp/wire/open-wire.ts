import type { ServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import type { Wire, WireListener } from './wire.ts';

type Options = Pick<
  OpenSessionOptions,
  'directory' | 'env' | 'timeoutMs' | 'signal' | 'authorizations' | 'control' | 'openWire' | 'processTag'
>;

/** Opens the wire to a server, behind the control of the trial where it has one. */
export async function openWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  const { control } = options;
  if (!control?.hasRules) return openTapedWire(definition, options, listener);
  const { ControlledWire } = await import('../control/controlled-wire.ts');
  return ControlledWire.open(control, listener, (inner) => openTapedWire(definition, options, inner));
}

/** The wire to the real server, recorded, or a recording in its place; there is nothing to record of a mocked server. */
async function openTapedWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  const tape = definition.transport === 'mock' ? undefined : options.control?.tape;
  const openReal = (inner: WireListener) => openRealWire(definition, options, inner);
  if (!tape) return openReal(listener);
  if (tape.kind === 'record') {
    const { RecordingWire } = await import('../control/recording-wire.ts');
    return RecordingWire.open(tape.open(), listener, openReal);
  }
  const { ReplayWire } = await import('../control/replay-wire.ts');
  return new ReplayWire(tape.replay, listener, openReal);
}

/** Starts a program or connects; what carries messages over HTTP is loaded when a server is reached that way. */
async function openRealWire(definition: ServerDefinition, options: Options, listener: WireListener): Promise<Wire> {
  if (options.openWire) return options.openWire(listener);
  if (definition.transport === 'stdio') {
    const { StdioWire } = await import('./stdio-wire.ts');
    return new StdioWire(definition, options, listener);
  }
  if (definition.transport === 'mock') {
    const { MockWire } = await import('../control/mocked-server.ts');
    return new MockWire(definition, options.control, listener);
  }
  const { openHttpWire } = await import('./http-address.ts');
  return openHttpWire(definition, options, listener);
}
