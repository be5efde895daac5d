import type * as z from 'zod';
import type { AssayError } from '../domain/errors.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { Judging } from '../judge/judging.ts';

/** What an evaluator may need from a target, and what a target says it provides. */
export type Capability = 'call-answer' | 'judge' | 'workspace';

/** The work that an agent left behind, where gates and scripts look at it. */
export interface EvaluatedWorkspace {
  /** Absolute: the work directory, in which commands of gates and scripts run. */
  readonly directory: string;
  /** Everything that gates and scripts get as environment; nothing else of ours reaches them. */
  readonly env: Readonly<Record<string, string>>;
  /** What the agent printed, as far as it was kept. */
  readonly transcriptFile: string;
}

/** What an evaluator is shown: the trial and everything that was seen of it. */
export interface EvaluationContext {
  readonly trial: Trial;
  readonly trace: Trace;
  readonly workspace: EvaluatedWorkspace | undefined;
  /** Reasons of the assertions that failed; known to those that need the judge, which are asked last. */
  readonly failures: readonly string[];
  readonly judging: Judging;
  readonly signal: AbortSignal;
}

/** Details that go into the record beside the answer, in their own well-known place. */
type Findings = Partial<Pick<TrialFindings, 'criteria' | 'judge' | 'interaction' | 'gates' | 'scripts'>>;

interface Verdict {
  readonly state: 'pass' | 'fail';
  readonly reason: string;
  readonly value?: number;
  readonly findings?: Findings;
}

/** Not asked, for a reason that is nobody's fault: it counts neither for nor against the trial. */
interface Skipped {
  readonly state: 'skipped';
  readonly reason: string;
  readonly findings?: Findings;
}

interface Measurement {
  readonly state: 'measured';
  readonly value: number;
  readonly reason: string;
  /** More numbers under names of their own. */
  readonly metrics?: Readonly<Record<string, number>>;
  readonly findings?: Findings;
}

interface Unanswered {
  readonly state: 'error';
  readonly error: AssayError;
  readonly findings?: Findings;
}

/** Three answers, never an overloaded boolean: a verdict, a measurement, or a fault. */
export type Answer<Kind extends EvaluatorKind = EvaluatorKind> =
  | (Kind extends 'assertion' ? Verdict | Skipped : Measurement)
  | Unanswered;

export type EvaluatorKind = 'assertion' | 'metric';

/** Judges or measures one trial; made once per config and used for every trial that has it. */
export type Evaluate<Kind extends EvaluatorKind = EvaluatorKind> = (
  context: EvaluationContext,
) => Answer<Kind> | Promise<Answer<Kind>>;

interface EvaluatorDescription {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  readonly needs: readonly Capability[];
  /** Gates look at the work left behind; they are asked one after the other, in the order of the file. */
  readonly isGate?: boolean;
}

/** An evaluator as the engine and the lists see it. */
export interface Evaluator extends EvaluatorDescription {
  readonly kind: EvaluatorKind;
  readonly configSchema: z.ZodType;
  /** `config` has passed `configSchema` when the scenario was loaded. */
  prepare(config: unknown): Evaluate;
  /** The name its number has in `metrics`; the type, unless the config gives another. */
  metricName?(config: unknown): string;
}

interface EvaluatorDefinition<Kind extends EvaluatorKind, Schema extends z.ZodType> extends EvaluatorDescription {
  readonly kind: Kind;
  readonly configSchema: Schema;
  prepare(config: z.output<Schema>): Evaluate<Kind>;
  metricName?(config: z.output<Schema>): string;
}

/** Ties the config schema of an evaluator to the code that receives the config. */
export function defineEvaluator<Kind extends EvaluatorKind, Schema extends z.ZodType>(
  definition: EvaluatorDefinition<Kind, Schema>,
): Evaluator {
  return definition as unknown as Evaluator;
}
