import type { PlantedAttack } from '../../../domain/attacks/attack-event.ts';
import type { AssayError } from '../../../domain/errors.ts';
import type { ControlAction, ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { ToolControl } from '../../../domain/tool-control/mocks.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { counted } from '../../../shared/format.ts';
import { Control, type ControlRule, type Decision } from '../control.ts';
import { faultRules } from '../faults/fault-rule.ts';
import type { ProgramSimulator } from '../simulator.ts';
import { CliAttackRule } from './cli-attack-rule.ts';
import type { CliCall, CliInput, InputRequest } from './cli-call.ts';
import { cliFaults } from './cli-faults.ts';
import { CliMockRule } from './cli-mock-rule.ts';
import type { CliReplay } from './cli-replay.ts';
import type { CliReply } from './cli-reply.ts';
import type { CliTape, WatchedRun } from './cli-tape.ts';

/** The control of a trial over the programs under test. */
export interface CliControl {
  /** Whether a decision depends on all of the standard input of the call. */
  needsStdin(call: CliCall): boolean;
  /** Further standard input that a decision depends on; undefined where enough is known. */
  wantsInput?(call: CliCall, known: CliInput | undefined): InputRequest | undefined;
  decide(call: CliCall, stdin: string | undefined, input: CliInput | undefined): Decision<CliReply>;
  /** Records what the real programs do. */
  readonly tape?: { begin(call: CliCall): WatchedRun } | undefined;
}

/** How the calls of programs are recorded, or what answers in their place. */
export interface TapedPrograms {
  readonly tape?: CliTape | undefined;
  readonly replay?: CliReplay | undefined;
}

/**
 * The control of a scenario over its programs: mocks answer first, then the recording; faults break their answers. What
 * it does is in the trace. Undefined where it leaves them alone.
 */
export function cliControl(
  plan: ToolControl | undefined,
  seed: string,
  emit: EmitTrace,
  { tape, replay }: TapedPrograms = {},
  simulator?: ProgramSimulator | undefined,
): CliControl | undefined {
  const mocks = plan?.cliMocks ?? [];
  const mockRule = mocks.length > 0 ? new CliMockRule(mocks, simulator) : undefined;
  const faults = (plan?.faults ?? []).filter(({ border }) => border === 'cli');
  const attack = plan?.attack;
  const rules: ControlRule<CliReply>[] = [
    ...(mockRule ? [mockRule] : []),
    ...faultRules(faults, seed, cliFaults),
    ...(attack && touchesPrograms(attack) ? [new CliAttackRule(attack)] : []),
  ];
  if (rules.length === 0 && !tape && !replay) return undefined;
  const onAction = (action: ControlAction): void => emit({ type: 'tool-control', ...action });
  const control = new Control('cli', rules, onAction);
  const counts = new Map<string, number>();
  return {
    tape,
    needsStdin: ({ tool, argv }) => mockRule?.needsStdin(tool, argv) ?? false,
    ...(replay && { wantsInput: (call: CliCall, known: CliInput | undefined) => replay.wantsInput(call, known) }),
    decide: (call, stdin, input) => {
      const { tool, argv } = call;
      const decision = control.decide({ tool, args: { argv, ...(stdin !== undefined && { stdin }) } });
      if (decision.reply || decision.play || !replay) return decision;
      const callNumber = (counts.get(tool) ?? 0) + 1;
      counts.set(tool, callNumber);
      const { reply, ...done } = replay.answer(call, input);
      onAction({ border: 'cli', tool, callNumber, kind: 'replay', ...done });
      return reply ? inPlaceOfTool(decision, reply) : decision;
    },
  };
}

/** The control over programs that scripts and gates call: they meet neither mocks nor faults. */
export function scriptControl({ tape, replay }: TapedPrograms): CliControl {
  const control = new Control<CliReply>('cli', [], () => undefined);
  return {
    tape: tape && { begin: (call) => tape.begin(call, 'script') },
    needsStdin: () => false,
    wantsInput: (call, known) => replay?.wantsInput(call, known, 'script'),
    decide: (call, _stdin, input) => {
      const decision = control.decide({ tool: call.tool, args: {} });
      const { reply } = replay?.answer(call, input, 'script') ?? {};
      return reply ? inPlaceOfTool(decision, reply) : decision;
    },
  };
}

/** The recording answers where the real program would: what changes its answers changes those as well. */
function inPlaceOfTool(decision: Decision<CliReply>, reply: CliReply): Decision<CliReply> {
  const alter: Decision<CliReply>['alter'] = (given) => {
    const altered = decision.alter(given);
    return { ...altered, answeredBy: altered.answeredBy ?? 'replay' };
  };
  return { ...decision, reply, answeredBy: 'replay', alter };
}

/** Programs are left alone where neither their output nor a program beside them is part of the attack. */
function touchesPrograms({ goal, place }: PlantedAttack): boolean {
  const offers = goal.kind === 'call' && goal.description !== undefined;
  return offers || place === 'tool-result' || place === 'error-message';
}

/** A call that its stand-in announced to the control. */
export interface AnnouncedCall extends CliCall {
  /** Undefined while it is left to the real program, whose answer nothing changed. */
  answeredBy: ControlKind | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A recorded invocation, as far as it is needed to find the decision about it. */
interface Invocation {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Whether a program under test made it, whose own calls are left alone. */
  readonly isNested?: boolean | undefined;
}

/** Clocks of shims and ours may differ by this much. */
const slackMs = 50;

/** The calls that stand-ins announced, until the recorder has reported them. */
export class ControlledCalls {
  readonly #waiting: AnnouncedCall[] = [];
  #unannounced = 0;
  #fault: AssayError | undefined;

  begin(call: CliCall, at = Date.now()): AnnouncedCall {
    const announced = { ...call, answeredBy: undefined, at };
    this.#waiting.push(announced);
    return announced;
  }

  /** Who answered an invocation in place of the program; each call is found once. */
  take({ argv: [name, ...argv], cwd, startedAt, durationMs, isNested }: Invocation): ControlKind | undefined {
    const index = this.#waiting.findIndex(
      (announced) =>
        announced.tool === name &&
        announced.cwd === cwd &&
        announced.at >= startedAt - slackMs &&
        announced.at <= startedAt + durationMs + slackMs &&
        isSame(announced.argv, argv),
    );
    if (index < 0 && !isNested) this.#unannounced++;
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]?.answeredBy;
  }

  /** Why calls may have reached the real program against the rules of the scenario; usually empty. */
  get doubts(): string[] {
    return this.#unannounced === 0 ? [] : [`${counted(this.#unannounced, 'call')} went around the control of the tool`];
  }

  /** Why the trial cannot be judged: the first reason counts. */
  get fault(): AssayError | undefined {
    return this.#fault;
  }

  set fault(fault: AssayError) {
    this.#fault ??= fault;
  }
}

/** The recorder leaves out the end of very long arguments, and says so in their place. */
function isSame(all: readonly string[], recorded: readonly string[]): boolean {
  const isCut = recorded.at(-1)?.endsWith(' bytes left out …') === true;
  if (!isCut) return all.length === recorded.length && all.every((argument, index) => argument === recorded[index]);
  return recorded.slice(0, -2).every((argument, index) => argument === all[index]);
}
