import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { PlacedFault } from '../../../domain/tool-control/faults.ts';
import type { PlacedMock, ToolControl } from '../../../domain/tool-control/mocks.ts';
import { nearestName } from '../../../shared/suggest.ts';
import { contradictionOf, type ToolSchemas } from '../../tool-control/check-mock.ts';
import { Control, type ControlRule, type Decision } from '../../tool-control/control.ts';
import { faultRules } from '../../tool-control/faults/fault-rule.ts';
import { MockRule } from '../../tool-control/mock-rule.ts';
import type { ToolSimulator } from '../../tool-control/simulator.ts';
import type { WireEnd } from '../wire/wire.ts';
import { AttackRule, type McpAttack, mcpAttack, problemOfAttack } from './attack-rule.ts';
import { mcpFaults } from './mcp-faults.ts';
import type { McpReplay } from './mcp-replay.ts';
import { type FrameSink, type McpReply, replyOfMock } from './mcp-reply.ts';
import { RemovedTools } from './removed-tools.ts';

/** The control of a trial over the calls of one MCP server. */
export interface McpControl {
  /** Whether it does anything. */
  readonly isActive: boolean;
  /** Whether it decides on calls. */
  readonly hasRules: boolean;
  /** The recording of the trial; undefined where calls are neither recorded nor replayed. */
  readonly tape?: ServerTape | undefined;
  /** How its rules contradict the tools of the real server; undefined where they fit. */
  problemIn(tools: readonly ListedTool[]): WireEnd | undefined;
  decide(tool: string, args: Readonly<Record<string, unknown>>): Decision<McpReply>;
  /** Whether a fault ends the server and starts it again. */
  readonly restartsServer: boolean;
  /** Tools that a fault took from the server. */
  readonly removed?: RemovedTools | undefined;
  /** Changes the lists and resources of the server; undefined where they are left alone. */
  readonly attack?: McpAttack | undefined;
  readonly onAction: (action: ControlAction) => void;
  readonly simulate?: SimulateTools | undefined;
}

/** Gives what plays the tools of these mocks; undefined where there are no models. */
type SimulateTools = (mocks: readonly PlacedMock[]) => ToolSimulator | undefined;

/** How the real server is recorded, or who answers in its place. */
export type ServerTape =
  | { readonly kind: 'record'; open(): FrameSink }
  | { readonly kind: 'replay'; readonly replay: McpReplay };

interface ControlledServer {
  /** The name that its user gave it. */
  readonly server: string;
  /** Faults with a probability are drawn by it. */
  readonly seed: string;
  readonly onAction: (action: ControlAction) => void;
  readonly tape?: ServerTape | undefined;
  readonly simulate?: SimulateTools | undefined;
}

/** The control of a trial over one of its servers: mocks answer first, faults break their answers, attacks use them. */
export function mcpControl(
  { mocks, faults: all, attack }: ToolControl = { mocks: [], faults: [] },
  { server, seed, onAction, tape, simulate }: ControlledServer,
): McpControl {
  const faults = all.filter(({ border, fault }) => border === 'mcp' && (fault.server ?? server) === server);
  const rules: ControlRule<McpReply>[] = [
    ...(mocks.length > 0 ? [new MockRule(mocks, replyOfMock, simulate?.(mocks))] : []),
    ...faultRules(faults, seed, mcpFaults),
    ...(attack ? [new AttackRule(attack)] : []),
  ];
  const removed = faults.some(({ fault }) => fault.fault === 'tool-removed') ? new RemovedTools(faults) : undefined;
  const control = new Control('mcp', rules, (action) => {
    removed?.note(action);
    onAction(action);
  });
  return {
    isActive: rules.length > 0 || tape !== undefined,
    hasRules: rules.length > 0,
    tape,
    problemIn(tools) {
      const ofMocks = problemOfMocks(mocks, tools);
      if (ofMocks !== undefined) return { code: 'MOCK_UNUSABLE', what: ofMocks };
      const ofFaults = problemOfFaults(faults, tools);
      if (ofFaults !== undefined) return { code: 'FAULT_UNUSABLE', what: ofFaults };
      const ofAttack = attack && problemOfAttack(attack, tools);
      return ofAttack === undefined ? undefined : { code: 'ATTACK_UNUSABLE', what: ofAttack };
    },
    attack: attack && mcpAttack(attack, server, onAction),
    restartsServer: faults.some(({ fault }) => fault.fault === 'server-restart'),
    removed,
    decide(tool, args) {
      removed?.forget(tool);
      return control.decide({ server, tool, args });
    },
    onAction,
    simulate,
  };
}

/** A tool as its server lists it. */
interface ListedTool extends ToolSchemas {
  readonly name: string;
}

/** The first fault of a tool that a server does not have, in the same form. */
function problemOfFaults(faults: readonly PlacedFault[], tools: readonly ListedTool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  for (const { fault, place } of faults) {
    const unknown = [fault.tool ?? []].flat().find((name) => !names.includes(name));
    if (unknown !== undefined) return `has no tool "${unknown}" (broken at ${place}${meantText(unknown, names)})`;
  }
  return undefined;
}

function meantText(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : `; did you mean \`${nearest}\`?`;
}

/** The first mock that contradicts the tools of a server, as the rest of a sentence that begins with its name. */
function problemOfMocks(mocks: readonly PlacedMock[], tools: readonly ListedTool[]): string | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const { tool: name, mock, places } of mocks) {
    const tool = byName.get(name);
    if (!tool) {
      const meant = meantText(name, [...byName.keys()]);
      return `has no tool "${name}" (mocked at ${places.mock}${meant})`;
    }
    const problem = contradictionOf(mock, tool);
    if (!problem) continue;
    const place = problem.path[0] === 'when' ? places.args : places.answer;
    return `has a tool "${name}" that a mock contradicts: ${place}: ${problem.message}`;
  }
  return undefined;
}
