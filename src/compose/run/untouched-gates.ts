import type { EvaluatedWorkspace } from '../../domain/gate.ts';
import type { PartSpec } from '../../domain/scenario.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { GateProof, GateProver } from '../../drive/targets/agent-task/agent-work.ts';
import { EvaluatorRunner } from '../../engine/evaluate.ts';
import type { Evaluator, EvaluatorServices } from '../../score/evaluators/evaluator.ts';
import type { Judging } from '../../score/judge/judge.ts';

/** Evaluates the gates of trials on an untouched work directory; evaluators that need a model are left out. */
export class UntouchedGates implements GateProver {
  readonly #evaluators: ReadonlyMap<string, Evaluator>;
  readonly #evaluatorRunner: EvaluatorRunner;

  constructor(evaluators: readonly Evaluator[], judging: Judging, services: EvaluatorServices) {
    this.#evaluators = new Map(evaluators.map((evaluator) => [evaluator.type, evaluator]));
    this.#evaluatorRunner = new EvaluatorRunner(this.#evaluators, judging, services, new AbortController().signal);
  }

  isDecisive(trial: Trial): boolean {
    const asserted = trial.case.evaluators.filter(({ type }) => this.#evaluators.get(type)?.kind === 'assertion');
    return asserted.length > 0 && asserted.every((part) => this.#isGate(part));
  }

  async measure(trial: Trial, trace: Trace, workspace: EvaluatedWorkspace): Promise<GateProof> {
    const gates = trial.case.evaluators.filter((part) => this.#isGate(part));
    const hasConduct = gates.some(({ type }) => this.#evaluators.get(type)?.judgesConduct);
    const held: string[] = [];
    for (const gate of gates) {
      const [answer] = await this.answers(trial, [gate], trace, workspace);
      if (answer?.state !== 'pass') return { held, allHold: false, hasConduct };
      held.push(gate.type);
    }
    return { held, allHold: gates.length > 0, hasConduct };
  }

  /** Results of some evaluators for a trace and its work directory, in order. */
  async answers(
    ...evaluated: Parameters<UntouchedGates['evaluation']>
  ): Promise<readonly { readonly type: string; readonly state: string; readonly reason: string }[]> {
    const found = await this.evaluation(...evaluated);
    return found === 'interrupted' ? [] : found.evaluatorResults;
  }

  /** All findings of some evaluators for a trace and its work directory. */
  evaluation(
    trial: Trial,
    parts: readonly PartSpec[],
    trace: Trace,
    workspace: EvaluatedWorkspace | undefined,
  ): ReturnType<EvaluatorRunner['conclude']> {
    const evaluated: Trial = { ...trial, case: { ...trial.case, evaluators: parts } };
    const execution = { trace, fault: undefined, startedAt: 0, durationMs: null, workspace, conversation: undefined };
    return this.#evaluatorRunner.conclude(evaluated, execution);
  }

  #isGate({ type }: PartSpec): boolean {
    return this.#evaluators.get(type)?.isGate === true;
  }
}
