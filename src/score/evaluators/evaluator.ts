import * as z from 'zod';
import { type Capability, type Channel, channels } from '../../domain/capability.ts';
import type { AssayError } from '../../domain/errors.ts';
import type { StructuredFindings } from '../../domain/findings.ts';
import type { EvaluatedWorkspace } from '../../domain/gate.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { EvaluatorResult } from '../../domain/outcome.ts';
import type { When } from '../../domain/scenario.ts';
import type { Trace } from '../../domain/trace.ts';
import type { CoverageScope } from '../../domain/trace-coverage/coverage.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Turn } from '../../domain/turn.ts';
import { withLazySchema } from '../../shared/lazy-schema.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';
import type { Judging } from '../judge/judge.ts';
import type { ReadRecorder } from './channel-view.ts';

/** Services of the run for evaluators, beside the judge. */
export interface EvaluatorServices {
  /** Of the user; commands get only the variables that they need to run. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether golden files are written where they differ. */
  readonly updatesGolden: boolean;
  /** Removes secrets from a text that is written to a file. */
  redact(text: string): Redacted;
}

/** Findings of the evaluators that ran before. */
export interface EarlierFindings {
  readonly results: readonly EvaluatorResult[];
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly judge: JudgeResult | null;
}

/** Input of an evaluator: the trial and everything observed of it. */
export interface EvaluationContext {
  readonly trial: Trial;
  readonly trace: Trace;
  /** For an assertion on one turn, which `trace` is limited to: that of the trial. */
  readonly wholeTrace?: Trace | undefined;
  readonly workspace: EvaluatedWorkspace | undefined;
  /** Why there is none, where there was one. */
  readonly workspaceFault?: AssayError | undefined;
  /** The answer to look at: the one that has just come in a conversation, else the only one; undefined when there is none. */
  readonly turn: Turn | undefined;
  /** Whether no further answer will come. */
  readonly isFinal: boolean;
  /** Reasons of the assertions that failed, for those that need the judge, which are evaluated last. */
  readonly failures: readonly string[];
  readonly judging: Judging;
  readonly services: EvaluatorServices;
  /** Takes note of a channel under `whereRead` that was read. */
  readonly recordRead?: ReadRecorder | undefined;
  /** For evaluators that look at the others; undefined for all others. */
  readonly earlier?: EarlierFindings | undefined;
  readonly signal: AbortSignal;
}

/** Details that go into the record beside the answer, in their own well-known place. */
type Findings = Partial<StructuredFindings>;

/** Figures and names behind the reason of an answer, for scripts and pages. */
interface Detailed {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** How a channel is read: at least one, none or at most, a sum against a limit, or everything that there is. */
export type How = 'presence' | 'absence' | 'total' | 'exact';

/** The parts of a trace that an evaluator reads, and so which of its answers rest on what was not seen. */
export interface Reads {
  /** Must be complete for an answer that rests on silence; for a metric always. */
  readonly channels: { readonly [Name in Channel]?: How };
  /** The same for channels of which a target need not report anything: only what was lost of them counts. */
  readonly whereReported?: { readonly [Name in Channel]?: How };
  /** Like `channels`, but only where `recordRead` was called for them in this evaluation. */
  readonly whereRead?: { readonly [Name in Channel]?: How };
  /** Names of tools that it is about. */
  readonly tools?: readonly string[];
  /** `answer`: it looks at the last answer only. */
  readonly scope?: CoverageScope;
}

/** For one that gets everything that there is, such as code of the user. */
export const everythingReported: Reads = {
  channels: {},
  whereReported: Object.fromEntries(channels.map((channel) => [channel, 'exact'])),
};

interface Verdict extends Detailed {
  readonly state: 'pass' | 'fail';
  readonly reason: string;
  readonly value?: number;
  /** Numbers beside the verdict, each under its own name. */
  readonly metrics?: Readonly<Record<string, number | null>>;
  readonly findings?: Findings;
  /** For a failure in a conversation that no later answer can mend. */
  readonly isSettled?: boolean;
  /** Whether it holds whatever else happened, where that does not follow from how the channels are read. */
  readonly restsOn?: 'seen' | 'silence';
}

/** Not evaluated, without a fault: it counts neither for nor against the trial. */
interface Skipped {
  readonly state: 'skipped';
  readonly reason: string;
  readonly findings?: Findings;
}

/** For a figure about the conditions of a trial. */
interface Voiding {
  /** Why the trial cannot be judged, whatever its assertions say. */
  readonly voids?: AssayError;
}

interface Measurement extends Detailed, Voiding {
  readonly state: 'measured';
  readonly value: number;
  readonly reason: string;
  /** More numbers, each under its own name; null is one that was not observed. */
  readonly metrics?: Readonly<Record<string, number | null>>;
  readonly findings?: Findings;
}

/** Nothing was observed that could be measured: the figure is absent, and the reason says why. */
interface NoData extends Detailed, Voiding {
  readonly state: 'no-data';
  readonly reason: string;
  readonly metrics?: Readonly<Record<string, number | null>>;
  readonly findings?: Findings;
}

interface Unanswered extends Voiding {
  readonly state: 'error';
  readonly error: AssayError;
  readonly findings?: Findings;
}

/** Three answers, never an overloaded boolean: a verdict, a measurement (or why there is none), or a fault. */
export type Answer<Kind extends EvaluatorKind = EvaluatorKind> =
  | (Kind extends 'assertion' ? Verdict | Skipped : Measurement | NoData)
  | Unanswered;

export type EvaluatorKind = 'assertion' | 'metric';

/** Judges or measures one trial; made once per config and used for every trial that has it. */
export type Evaluate<Kind extends EvaluatorKind = EvaluatorKind> = (
  context: EvaluationContext,
) => Answer<Kind> | Promise<Answer<Kind>>;

/** How the figures of a metric over several turns become one. */
export type Aggregate = 'sum' | 'last' | 'max' | 'mean';

interface EvaluatorDescription {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  readonly needs: readonly Capability[];
  /** Gates look at the work left behind; they are evaluated one after the other, in the order of the file. */
  readonly isGate?: boolean;
  /** For a gate about how the agent worked, which holds where nothing was done. */
  readonly judgesConduct?: boolean;
  /** For one about an agent's work that looks at no file: it can be evaluated when the work directory is gone. */
  readonly readsTraceOnly?: boolean;
  /** For one that needs no work directory, and looks at it where there is one. */
  readonly looksAtWork?: boolean;
  /** For one that looks at the findings of the others, and so runs after them. */
  readonly runsLast?: boolean;
  /** For one whose question to the judge can be sent with those of others. */
  readonly sharesJudge?: boolean;
}

/** Stands for all other evaluators in a list of parts. */
export const allParts = '*';
/** Stands for all evaluators that need the judge. */
export const judgeParts = '*judge';

/** An evaluator as the engine and the lists see it. */
export interface Evaluator extends EvaluatorDescription {
  readonly kind: EvaluatorKind;
  /** A config as a scenario writes it; undefined where the usual config is empty. */
  readonly example?: unknown;
  readonly configSchema: z.ZodType;
  /** The parts of a trace that it reads; the engine refuses answers that rest on what was not observed. */
  reads(config: unknown): Reads;
  /** `config` has passed `configSchema` when the scenario was loaded. */
  prepare(config: unknown): Evaluate;
  /** The name its number has in `metrics`; the type, unless the config gives another. */
  metricName?(config: unknown): string;
  /** Distinguishes this metric from another of its type, such as `output`; undefined for the usual config. */
  metricLabel?(config: unknown): string | undefined;
  /** For one that decides about others: by their ids or types, those that count through it only. */
  partsIn?(config: unknown): readonly string[];
  /** When it must hold in a conversation; without it, it is evaluated once at the end and looks at everything. */
  when?(config: unknown): When;
  /** For a metric that is measured after every answer. */
  readonly aggregate?: Aggregate;
}

interface EvaluatorDefinition<Kind extends EvaluatorKind, Schema extends z.ZodType>
  extends Omit<EvaluatorDescription, 'label' | 'needs'> {
  readonly kind: Kind;
  /** Name in pages; by default the words of the type, such as `Tool Called` for `tool-called`. */
  readonly label?: string;
  /** None by default. */
  readonly needs?: readonly Capability[];
  /** A function is called on first use: most runs use few evaluators, and schemas are slow to create. By default no settings. */
  readonly configSchema?: Schema | (() => Schema);
  readonly example?: NoInfer<z.input<Schema>>;
  readonly reads: Reads | ((config: z.output<NoInfer<Schema>>) => Reads);
  prepare(config: z.output<Schema>): Evaluate<Kind>;
  metricName?(config: z.output<Schema>): string;
  metricLabel?(config: z.output<Schema>): string | undefined;
  partsIn?(config: z.output<Schema>): readonly string[];
  when?(config: z.output<Schema>): When;
  readonly aggregate?: Aggregate;
}

/** Ties the config schema of an evaluator to the code that receives the config. */
export function defineEvaluator<Kind extends EvaluatorKind, Schema extends z.ZodType = z.ZodObject>(
  definition: EvaluatorDefinition<Kind, Schema>,
): Evaluator {
  const { type, configSchema = () => z.strictObject({}) } = definition;
  const described = { label: labelOf(type), needs: [], ...definition, configSchema };
  return Object.assign(withLazySchema(described), {
    reads: declaredReads(type, definition.reads),
  }) as unknown as Evaluator;
}

function labelOf(type: string): string {
  const words = type.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join(' ');
}

/** Refuses an evaluator that does not say what it reads: it would be unknown which of its answers rest on silence. */
export function declaredReads<Config>(type: string, reads: Reads | ((config: Config) => Reads) | undefined) {
  if (typeof reads === 'function') return reads;
  if (typeof reads?.channels !== 'object')
    throw new TypeError(`The evaluator "${type}" does not declare what it reads: \`reads: { channels: { … } }\`.`);
  return () => reads;
}

/** An evaluation whose code is loaded on first use; from then on it answers without waiting. */
export function lazily<Kind extends EvaluatorKind>(load: () => Promise<Evaluate<Kind>>): Evaluate<Kind> {
  let loaded: Evaluate<Kind> | undefined;
  let loading: Promise<Evaluate<Kind>> | undefined;
  return (context) => {
    if (loaded) return loaded(context);
    loading ??= load().then((evaluate) => {
      loaded = evaluate;
      return evaluate;
    });
    return loading.then((evaluate) => evaluate(context));
  };
}
