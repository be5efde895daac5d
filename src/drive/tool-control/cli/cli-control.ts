import type { PlantedAttack } from '../../../domain/attacks/attack-event.ts';
import type { AssayError } from '../../../domain/errors.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { ToolControl } from '../../../domain/tool-control/mocks.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { counted } from '../../../shared/format.ts';
import { Control, type ControlRule, type Decision } from '../control.ts';
import { faultRules } from '../faults/fault-rule.ts';
import { CliAttackRule } from './cli-attack-rule.ts';
import { cliFaults } from './cli-faults.ts';
import { CliMockRule } from './cli-mock-rule.ts';
import type { CliReply } from './cli-reply.ts';

/** A call of a program, as its stand-in reports it. */
export interface CliCall {
  /** Name of the program. */
  readonly tool: string;
  /** Without the name of the program. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
}

/** The control of a trial over the programs under test. */
export interface CliControl {
  /** Whether a decision depends on the standard input of the call. */
  needsStdin(call: CliCall): boolean;
  decide(call: CliCall, stdin: string | undefined): Decision<CliReply>;
}

/** The control of a scenario over its programs; what it does is in the trace. Undefined where it leaves them alone. */
export function cliControl(plan: ToolControl | undefined, seed: string, emit: EmitTrace): CliControl | undefined {
  const mocks = plan?.cliMocks ?? [];
  const mockRule = mocks.length > 0 ? new CliMockRule(mocks) : undefined;
  const faults = (plan?.faults ?? []).filter(({ border }) => border === 'cli');
  const attack = plan?.attack;
  const rules: ControlRule<CliReply>[] = [
    ...(mockRule ? [mockRule] : []),
    ...faultRules(faults, seed, cliFaults),
    ...(attack && touchesPrograms(attack) ? [new CliAttackRule(attack)] : []),
  ];
  if (rules.length === 0) return undefined;
  const control = new Control('cli', rules, (action) => emit({ type: 'tool-control', ...action }));
  return {
    needsStdin: ({ tool, argv }) => mockRule?.needsStdin(tool, argv) ?? false,
    decide: ({ tool, argv }, stdin) => control.decide({ tool, args: { argv, ...(stdin !== undefined && { stdin }) } }),
  };
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
