import { controlSeed } from '../../../domain/control-of-trial.ts';
import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { ToolControl } from '../../../domain/tool-control/mocks.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { Simulation, type SimulationContext } from '../../simulation/simulation.ts';
import type { TrialTape } from '../../tape/tool-tapes.ts';
import { controlPlan } from '../../tool-control/attack/arm-attack.ts';
import { type McpControl, mcpControl, type ServerTape } from './mcp-control.ts';
import { McpReplay } from './mcp-replay.ts';
import { TapedServer } from './taped-server.ts';

/** The control of a trial over one of its servers; its actions are trace events. `plan`: the rules for its calls. */
export function trialControl(
  trial: Trial,
  emit: EmitTrace,
  server: string,
  context: SimulationContext,
  tape?: TrialTape,
  plan: ToolControl | undefined = controlPlan(trial),
): McpControl {
  const onAction: McpControl['onAction'] = (action) => emit({ type: 'tool-control', ...action });
  const serverTape = tape && serverTapeOf(tape, server, onAction);
  const simulation = new Simulation(trial, emit, context);
  const simulate: McpControl['simulate'] = (mocks) => simulation.ofServer(server, mocks);
  return mcpControl(plan, { server, seed: controlSeed(trial), onAction, tape: serverTape, simulate });
}

function serverTapeOf(tape: TrialTape, server: string, onAction: (action: ControlAction) => void): ServerTape {
  if (tape.kind === 'replay') return { kind: 'replay', replay: new McpReplay({ ...tape, server, onAction }) };
  const taped = new TapedServer(server, tape);
  return { kind: 'record', open: () => taped.session() };
}
