import type * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { EvaluatedWorkspace } from '../../../domain/evaluated-workspace.ts';
import type { GateResult } from '../../../domain/gate.ts';
import { type Answer, defineEvaluator, type EvaluationContext, type Evaluator } from '../evaluator.ts';

/** What a gate found: whether the work passes it, and in words what was seen and what was wanted. */
export type GateVerdict = Omit<GateResult, 'gate_type'>;

/** What a gate is shown: it is only asked where there is work to look at. */
export interface GateContext extends EvaluationContext {
  readonly workspace: EvaluatedWorkspace;
}

/** What the author of a scenario or the agent did wrong fails the gate; only a defect of ours is thrown. */
export type GateCheck<MakeSchema extends () => z.ZodType> = (
  config: z.output<ReturnType<MakeSchema>>,
  context: GateContext,
) => GateVerdict | Promise<GateVerdict>;

interface GateDefinition<MakeSchema extends () => z.ZodType> {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  readonly configSchema: MakeSchema;
  readonly example?: z.input<ReturnType<MakeSchema>>;
  /** Loaded when a trial asks for it: most runs have no gates. */
  loadCheck(): Promise<GateCheck<MakeSchema>>;
}

/** An assertion on the work left behind, whose verdict also stands in the list of gates. */
export function defineGate<MakeSchema extends () => z.ZodType>({
  loadCheck,
  ...description
}: GateDefinition<MakeSchema>): Evaluator {
  return defineEvaluator({
    ...description,
    kind: 'assertion',
    needs: ['workspace'],
    isGate: true,
    prepare:
      (config) =>
      async (context): Promise<Answer<'assertion'>> => {
        const { workspace } = context;
        if (!workspace) throw new AssayError('INTERNAL', 'A gate was asked about a trial that left no work behind.');
        const check = await loadCheck();
        const verdict = await check(config as z.output<ReturnType<MakeSchema>>, { ...context, workspace });
        const state = verdict.passed ? 'pass' : 'fail';
        const gates = [{ gate_type: description.type, ...verdict }];
        if (verdict.passed && workspace.nothingProven) {
          return { state: 'error', error: workspace.nothingProven, findings: { gates } };
        }
        return { state, reason: verdict.message, findings: { gates } };
      },
  });
}

/** The verdict of a gate that passes. */
export function passed(message: string): GateVerdict {
  return { passed: true, message };
}

/** The verdict of a gate that fails. */
export function failed(message: string): GateVerdict {
  return { passed: false, message };
}
